import { acting, type Draw, type Drawn, otherOf, senderOf, someone, type Talk } from './talk.ts'
import type { TalkEntry } from './talk-model.ts'

export const join: Draw = (talk) => {
  const { client, model, random } = talk
  const uid = random.pick(talk.crowd)
  const joined = model.places.has(uid) ? 'ERR_ALREADY_JOINED' : 'ok'
  return {
    line: `${uid} joins`,
    expected: model.banned.has(uid) ? 'ERR_BANNED_GROUPMEMBER' : joined,
    async call() {
      const params = { guid: groupOf(talk).guid }
      const { data } = await client.addMembers({ params, body: {}, onBehalfOf: uid })
      return data.participants?.[uid]?.data?.id
    },
    apply: (id) => {
      model.entries.push(action(talk, uid, id))
      model.arrive(uid)
    },
  }
}

/** Several at once: all of them have seen everything up to the last of these arrivals. */
export const add: Draw = (talk) => {
  const { client, model, random, crowd } = talk
  const by = ownerOrApp(talk)
  const wanted = [...new Set([random.pick(crowd), random.pick(crowd), random.pick(crowd)])]
  const welcome = wanted.filter((uid) => !model.banned.has(uid) && !model.places.has(uid))
  let ids: (string | undefined)[] = []
  return {
    line: `${senderOf(by)} adds ${wanted.join(' ')}`,
    expected: 'ok',
    async call() {
      const input = { params: { guid: groupOf(talk).guid }, body: { participants: wanted } }
      const { participants = {} } = (await client.addMembers({ ...input, ...acting(by) })).data
      const added = wanted.filter((uid) => participants[uid]?.success)
      if (added.join() !== welcome.join()) throw new Error(`added ${added}, not ${welcome}`)
      ids = welcome.map((uid) => participants[uid]?.data?.id)
      return undefined
    },
    apply: () => {
      model.entries.push(...ids.map((id) => action(talk, senderOf(by), id)))
      for (const uid of welcome) model.arrive(uid)
    },
  }
}

export const leave: Draw = (talk) => {
  const { client, model } = talk
  const { guid } = groupOf(talk)
  const uid = anyButOwner(talk)
  return {
    line: `${uid} leaves`,
    expected: model.places.has(uid) ? 'ok' : 'ERR_GROUP_NOT_JOINED',
    async call() {
      await client.leaveGroup({ params: { guid }, onBehalfOf: uid })
      return undefined
    },
    apply: () => {
      model.entries.push(action(talk, uid))
      model.places.delete(uid)
    },
  }
}

export const kick: Draw = (talk) => {
  const { client, model } = talk
  return expel(talk, 'kicks', {
    expected: (uid) => (model.places.has(uid) ? 'ok' : 'ERR_NOT_A_MEMBER'),
    call: (input) => client.kickMember(input),
  })
}

/** Also of someone who is no member. */
export const ban: Draw = (talk) => {
  const { client, model } = talk
  return expel(talk, 'bans', {
    expected: (uid) => (model.banned.has(uid) ? 'ERR_ALREADY_BANNED' : 'ok'),
    call: (input) => client.banUser(input),
    apply: (uid) => model.banned.add(uid),
  })
}

interface Expulsion {
  expected(uid: string): string
  call(input: { params: { guid: string; uid: string }; onBehalfOf?: string }): Promise<unknown>
  apply?(uid: string): void
}

function expel(talk: Talk, verb: string, { expected, call, apply }: Expulsion): Drawn {
  const { model } = talk
  const { guid } = groupOf(talk)
  const by = ownerOrApp(talk)
  const uid = anyButOwner(talk)
  return {
    line: `${senderOf(by)} ${verb} ${uid}`,
    expected: expected(uid),
    async call() {
      await call({ params: { guid, uid }, ...acting(by) })
      return undefined
    },
    apply: () => {
      model.entries.push(action(talk, senderOf(by)))
      model.places.delete(uid)
      apply?.(uid)
    },
  }
}

export const unban: Draw = (talk) => {
  const { client, model, random } = talk
  const { guid } = groupOf(talk)
  const by = ownerOrApp(talk)
  const uid = random.pick(model.banned.size > 0 ? [...model.banned] : talk.crowd)
  return {
    line: `${senderOf(by)} unbans ${uid}`,
    expected: model.banned.has(uid) ? 'ok' : 'ERR_NOT_A_BANNED_USER',
    async call() {
      await client.unbanUser({ params: { guid, uid }, ...acting(by) })
      return undefined
    },
    apply: () => {
      model.entries.push(action(talk, senderOf(by)))
      model.banned.delete(uid)
    },
  }
}

export const block: Draw = (talk) => {
  const { client, model } = talk
  const uid = someone(talk)
  const other = otherOf(talk, uid)
  return {
    line: `${uid} blocks ${other}`,
    expected: 'ok',
    async call() {
      await client.blockUsers({ params: { uid }, body: { blockedUids: [other] } })
      return undefined
    },
    apply: () => model.blockers.add(uid),
  }
}

export const unblock: Draw = (talk) => {
  const { client, model } = talk
  const [blocker] = model.blockers
  const uid = blocker ?? someone(talk)
  const other = otherOf(talk, uid)
  return {
    line: `${uid} unblocks ${other}`,
    expected: 'ok',
    async call() {
      await client.unblockUsers({ params: { uid }, body: { blockedUids: [other] } })
      return undefined
    },
    apply: () => model.blockers.delete(uid),
  }
}

function groupOf({ between }: Talk) {
  if (between.kind !== 'group') throw new Error('Two users have no members.')
  return between
}

function ownerOrApp(talk: Talk): string | undefined {
  return talk.random.chance(0.5) ? groupOf(talk).owner : undefined
}

function anyButOwner(talk: Talk): string {
  const { owner } = groupOf(talk)
  for (;;) {
    const uid = someone(talk)
    if (uid !== owner) return uid
  }
}

/** What happened to a member, as an entry of the log. */
function action({ rules }: Talk, sender: string, id?: string): TalkEntry {
  return { id, sender, kind: 'action', counts: rules.groupActions, shows: rules.groupActions }
}
