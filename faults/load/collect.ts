import { setTimeout as after } from 'node:timers/promises'
import { check, type Finding } from '../check/check.ts'
import type { History, Observed, Unread } from '../check/observed.ts'
import { type App, insist } from './calls.ts'
import type { Devices } from './devices.ts'
import type { ReadMark } from './read-marks.ts'
import { conversationOf, type Sends } from './sends.ts'
import type { Webhooks } from './webhooks.ts'
import type { Group, World } from './world.ts'

export interface Sources {
  readonly world: World
  readonly sends: Sends
  readonly devices: Devices
  readonly webhooks: Webhooks
  readonly marks: ReadonlyMap<string, ReadMark>
  /** When the run began, in milliseconds since 1970. */
  readonly began: number
}

// What is read of the answers.
interface Listed<T> {
  readonly data: readonly T[]
}
interface Events extends Listed<{ readonly type: string; readonly messageId: string }> {
  readonly meta: { readonly next: { readonly after: string } }
}
interface Points {
  readonly data: { readonly dataPoints: readonly { readonly messagesSent: number }[] }
}

const maxWaitSeconds = 180
const searchedMessages = 40
const groupsAtOnce = 4

/**
 * Reads everything once the load has ended. What follows a message later (devices, feed, webhooks,
 * statistics, search) has three minutes to catch up.
 */
export async function collect(sources: Sources): Promise<Observed> {
  const { world, sends, devices, webhooks } = sources
  const histories = await readHistories(world)
  const stored = new Map(histories.map((history) => [history.conversation, history]))
  const of = (app: App) => world.groups.filter((group) => group.app === app).map(conversationOf)
  const feed = openFeed(world.app)
  const fixed = {
    attempted: sends.attempted,
    acknowledged: sends.acknowledged,
    histories,
    inFeed: of(world.app),
    withWebhooks: of(world.hooked),
  }
  const until = performance.now() + maxWaitSeconds * 1000
  for (;;) {
    const observed: Observed = {
      ...fixed,
      devices: devices.seen(),
      unread: await readUnread(sources, stored),
      feed: await feed.read(),
      webhooks: webhooks.told,
      statistics: await readStatistics(sources, stored),
      searched: await search(world, histories),
    }
    const late: Finding[] = check(observed)
    if (late.length === 0 || performance.now() > until) return observed
    await after(2000)
  }
}

async function readHistories({ groups }: World): Promise<History[]> {
  const histories = new Map<Group, History[]>()
  const left = groups.values()
  const readOthers = async () => {
    for (const group of left) histories.set(group, await readHistoriesOf(group))
  }
  await Promise.all(Array.from({ length: groupsAtOnce }, readOthers))
  return groups.flatMap((group) => histories.get(group) ?? [])
}

/** The whole list for the app and for two members: they must see the same. */
async function readHistoriesOf(group: Group): Promise<History[]> {
  const { members } = group
  const readers = [undefined, members[0], members.at(-1)]
  return await Promise.all(
    readers.map(async (reader) => {
      const messages = await readHistory(group, reader)
      return { conversation: conversationOf(group), reader: reader ?? 'the app', messages }
    }),
  )
}

async function readHistory({ app, guid }: Group, as: string | undefined) {
  const messages: { id: number; muid: string }[] = []
  for (let id = 1; ; ) {
    const path = `/v3/groups/${guid}/messages?limit=100&category=message&affix=append&id=${id}`
    const { data } = await insist<Listed<{ id: string; muid: string }>>({
      app,
      method: 'GET',
      path,
      ...(as && { as }),
    })
    for (const message of data) messages.push({ id: Number(message.id), muid: message.muid })
    const last = messages.at(-1)
    if (data.length === 0 || !last) return messages
    id = last.id
  }
}

async function readUnread({ world, sends, marks }: Sources, stored: ReadonlyMap<string, History>) {
  const unread: Unread[] = []
  for (const group of world.groups) {
    const conversation = conversationOf(group)
    const mark = marks.get(conversation)
    if (!mark) continue
    const { user, id: readUpTo } = mark
    const path = `/v3/groups/${group.guid}/conversation`
    const call = { app: group.app, method: 'GET', path, as: user } as const
    const { data } = await insist<Listed<{ unreadMessageCount: string }>>(call)
    const messages = stored.get(conversation)?.messages ?? []
    const isUnread = ({ id, muid }: (typeof messages)[number]) =>
      id > readUpTo && sends.attempted.get(muid)?.sender !== user
    const counted = messages.filter(isUnread).length
    unread.push({ user, conversation, shown: Number(data[0]?.unreadMessageCount), counted })
  }
  return unread
}

function openFeed(app: App) {
  const ids: number[] = []
  let after: string | undefined
  return {
    async read(): Promise<number[]> {
      for (;;) {
        const place = after === undefined ? '' : `&after=${encodeURIComponent(after)}`
        const path = `/v3/events?limit=1000${place}`
        const { data, meta } = await insist<Events>({ app, method: 'GET', path })
        after = meta.next.after
        for (const event of data)
          if (event.type === 'message.sent') ids.push(Number(event.messageId))
        if (data.length === 0) return ids
      }
    },
  }
}

const pointMs = 300_000

async function readStatistics({ world, began }: Sources, stored: ReadonlyMap<string, History>) {
  return await Promise.all(
    [world.app, world.hooked].map(async (app) => {
      const from = Math.floor(began / pointMs) * pointMs
      const to = (Math.floor(Date.now() / pointMs) + 1) * pointMs
      const path = `/v3/stats/messages?startTime=${from}&endTime=${to}`
      const { data } = await insist<Points>({ app, method: 'GET', path })
      const points = data.dataPoints
      const shown = points.reduce((sum, { messagesSent }) => sum + messagesSent, 0)
      const of = [...stored.values()].filter(({ conversation }) =>
        conversation.startsWith(app.appId),
      )
      const messages = of.reduce((sum, history) => sum + history.messages.length, 0)
      return { app: app.appId, shown, stored: messages }
    }),
  )
}

/** A message here and there, by the word that only it has. */
async function search(world: World, histories: readonly History[]) {
  const groups = new Map(world.groups.map((group) => [conversationOf(group), group]))
  const all = histories.filter(({ reader }) => reader === 'the app')
  const messages = all.flatMap((history) =>
    history.messages.map((message) => ({ ...message, group: groups.get(history.conversation) })),
  )
  const step = Math.max(1, Math.floor(messages.length / searchedMessages))
  const some = messages.filter((_, nth) => nth % step === 0)
  return await Promise.all(
    some.map(async ({ id, muid, group }) => {
      if (!group) throw new Error('Every history is of a group.')
      const path = `/v3/groups/${group.guid}/messages?searchKey=word${muid.replaceAll('-', '')}`
      const { data } = await insist<Listed<{ id: string }>>({ app: group.app, method: 'GET', path })
      return { id, found: data.some((found) => Number(found.id) === id) }
    }),
  )
}
