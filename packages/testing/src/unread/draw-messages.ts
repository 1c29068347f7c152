import {
  acting,
  type Draw,
  type Drawn,
  otherOf,
  senderOf,
  someEntry,
  someone,
  type Talk,
} from './talk.ts'
import type { TalkEntry } from './talk-model.ts'

type Sent = Pick<TalkEntry, 'kind' | 'counts' | 'shows'>

const text: Sent = { kind: 'text', counts: true, shows: true }

/** They count only when they say so, and show unless they say otherwise. */
function custom({ random }: Talk): Sent {
  return { kind: 'custom', counts: random.chance(0.5), shows: random.chance(0.7) }
}

export const sendText: Draw = (talk) => send(talk, someone(talk), text)

export const sendCustom: Draw = (talk) => send(talk, someone(talk), custom(talk))

/** The app itself writes to the group, and no rule holds it back. */
export const sendAsApp: Draw = (talk) => send(talk, undefined, text)

/** Several write at the same time, all of them such as may. */
export function sendTogether(talk: Talk): Drawn[] {
  const { model, random } = talk
  const senders = [...model.places.keys()].filter((uid) => objectionTo(talk, uid) === 'ok')
  if (senders.length === 0) return [sendText(talk)]
  return Array.from({ length: 2 + random.below(15) }, () =>
    send(talk, random.pick(senders), random.chance(0.8) ? text : custom(talk)),
  )
}

function send(talk: Talk, by: string | undefined, sent: Sent): Drawn {
  const { model, random } = talk
  const muid = random.chance(0.5) ? `m${model.muids++}` : undefined
  return {
    line: `${senderOf(by)} sends a ${sent.kind}${sent.counts ? '' : ' that does not count'}`,
    expected: objectionTo(talk, by),
    call: () => post(talk, by, sent, muid),
    apply: (id) => {
      model.entries.push({ id, sender: senderOf(by), ...sent, ...(muid && { muid }) })
    },
  }
}

/** A repeat is the same message, so nothing changes. */
export const sendAgain: Draw = (talk) => {
  // Erasing takes the muid as well: what it named is gone.
  const found = someEntry(talk, (entry) => entry.muid !== undefined && entry.withdrawn !== 'erased')
  if (!found) return sendText(talk)
  const { entry, id: first } = found
  const by = entry.sender === senderOf(undefined) ? undefined : entry.sender
  return {
    line: `${entry.sender} sends ${first} again`,
    holds: first,
    expected: objectionTo(talk, by),
    async call() {
      const id = await post(talk, by, entry, entry.muid)
      if (id !== first) throw new Error(`the repeat of ${first} was stored as ${id}`)
      return id
    },
  }
}

async function post(
  { client, between, label }: Talk,
  by: string | undefined,
  { kind, counts, shows }: Sent,
  muid: string | undefined,
): Promise<string> {
  const receiver =
    between.kind === 'group' ? between.guid : between.uids[by === between.uids[0] ? 1 : 0]
  const said =
    kind === 'text'
      ? { data: { text: 'x' } }
      : { category: 'custom' as const, type: 'poll', data: customData(counts, shows) }
  const body = { receiver, receiverType: between.kind, ...said, ...(muid && { muid }) }
  const { data } = await client.sendMessage({ body, ...acting(by) })
  if (!('conversationId' in data) || data.conversationId !== label) {
    throw new Error(`${JSON.stringify(data)} is no message of ${label}`)
  }
  return data.id
}

function customData(counts: boolean, shows: boolean) {
  return {
    customData: {},
    ...(counts && { metadata: { incrementUnreadCount: true } }),
    ...(!shows && { updateConversation: false }),
  }
}

function objectionTo(talk: Talk, by: string | undefined): string {
  const { between, model } = talk
  if (by === undefined) return 'ok'
  if (between.kind === 'group') {
    if (model.banned.has(by)) return 'ERR_BANNED_GROUPMEMBER'
    return model.places.has(by) ? 'ok' : 'ERR_GROUP_NOT_JOINED'
  }
  if (model.blockers.has(by)) return 'ERR_BLOCKED_RECEIVER'
  return model.blockers.has(otherOf(talk, by)) ? 'ERR_BLOCKED_SENDER' : 'ok'
}

/** Also one that says now what it did not say when it counted or not. */
export const edit: Draw = (talk) => {
  const counts = talk.random.chance(0.5)
  return change(talk, 'edits', async (id, { kind }, by) => {
    const data = kind === 'text' ? { text: 'y' } : customData(counts, true)
    const answer = await talk.client.editMessage({ params: { id }, body: { data }, ...acting(by) })
    return answer.data.id
  })
}

export const remove: Draw = (talk) => {
  const permanent = talk.random.chance(0.5)
  return change(
    talk,
    permanent ? 'erases' : 'deletes',
    async (id, _, by) => {
      const input = { params: { id }, body: { permanent }, ...acting(by) }
      return (await talk.client.deleteMessage(input)).data.id
    },
    (entry) => {
      entry.withdrawn = permanent ? 'erased' : 'hidden'
    },
  )
}

/** By the sender, the owner of the group or the app; the change is an entry of its own. */
function change(
  talk: Talk,
  verb: string,
  call: (id: string, entry: TalkEntry, by: string | undefined) => Promise<string>,
  apply?: (entry: TalkEntry) => void,
): Drawn {
  const { model, random, rules, between } = talk
  const found = someEntry(talk, ({ kind }) => kind !== 'action')
  if (!found) return sendText(talk)
  const { id, seq, entry } = found
  const { sender } = entry
  const candidates = [
    undefined,
    ...(sender === senderOf(undefined) ? [] : [sender, sender]),
    ...(between.kind === 'group' ? [between.owner] : []),
  ]
  const by = random.pick(candidates.map((uid) => ({ uid }))).uid
  const place = by === undefined ? { reset: 0 } : model.places.get(by)
  const objection = objectionToChange(entry, place !== undefined && seq > place.reset)
  return {
    line: `${senderOf(by)} ${verb} ${id} of ${sender}`,
    holds: id,
    expected: objection === 'ok' && verb === 'edits' ? objectionTo(talk, by) : objection,
    call: () => call(id, entry, by),
    apply: (actionId) => {
      apply?.(entry)
      const visible = rules.messageActions
      const action = { id: actionId, sender: senderOf(by), kind: 'action' } as const
      model.entries.push({ ...action, counts: visible, shows: visible })
    },
  }
}

function objectionToChange({ withdrawn }: TalkEntry, visible: boolean): string {
  if (withdrawn === 'erased') return 'ERR_MESSAGE_ID_NOT_FOUND'
  if (!visible) return 'ERR_MESSAGE_NO_ACCESS'
  return withdrawn ? 'ERR_MESSAGE_ID_NOT_FOUND' : 'ok'
}
