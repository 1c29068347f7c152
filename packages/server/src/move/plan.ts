import { type FileHosts, linksOf } from './files/links.ts'
import type { ListedGroup, ListedMessage } from './listed.ts'
import { groupsOf, messagesOf, usersOf } from './lists.ts'
import type { Side } from './side.ts'

export interface Plan {
  readonly users: number
  readonly groups: number
  readonly members: number
  /** Counted where there are few, else estimated from samples. */
  readonly messages: number
  readonly bytesPerMessage: number
  /** That messages link to; of named hosts, if any are named. */
  readonly files: number
  readonly hours: number
  readonly remarks: readonly string[]
}

interface FilesToMove {
  /** Undefined: none are named. */
  readonly hosts: FileHosts | undefined
  readonly perSecond: number
}

/** Messages that an import takes in a second, with some room. */
const messagesPerSecond = 500
const samples = 20

/** What there is to move, what will not fit, and about how long it takes. Only reads the old side. */
export async function planMove(
  from: Side,
  wanted: FilesToMove,
  progress: (what: string, count: number) => void,
): Promise<Plan> {
  let users = 0
  for await (const { items } of usersOf(from)) {
    users += items.length
    progress('users', users)
  }
  const found = await countGroups(from, progress)
  const { messages, bytesPerMessage, files, elsewhere } = await sampleMessages(from, wanted)
  const calls = (users + messages) / 1000 + found.groups * 2
  const remarks = [
    ...(found.passwords > 0 ? [`${found.passwords} groups have passwords: set them again.`] : []),
    ...(elsewhere.size > 0
      ? [`Files stay where they are, unless --file-hosts names: ${[...elsewhere].join(', ')}.`]
      : []),
    'Friends and blocked users are moved with --relations: two calls more for each user.',
    'Pins, saved messages, webhooks, push credentials and settings are not moved.',
  ]
  const { groups, members } = found
  const forFiles = wanted.hosts ? files / wanted.perSecond : 0
  const seconds = messages / messagesPerSecond + calls * (await secondsPerCall(from)) + forFiles
  const hours = seconds / 3600
  return { users, groups, members, messages, bytesPerMessage, files, hours, remarks }
}

async function countGroups(from: Side, progress: (what: string, count: number) => void) {
  const sum = { groups: 0, members: 0, passwords: 0 }
  for await (const { items } of groupsOf(from)) {
    for (const group of items as readonly (ListedGroup & { membersCount?: number })[]) {
      sum.groups += 1
      sum.members += group.membersCount ?? 0
      if (group.type === 'password') sum.passwords += 1
    }
    progress('groups', sum.groups)
  }
  return sum
}

/** How many there are: from pages at even times, and how long the messages of a page took to be sent. */
async function sampleMessages(from: Side, { hosts }: FilesToMove) {
  const first = await pageAt(from, 1)
  const elsewhere = new Set<string>()
  let bytes = 0
  let seen = 0
  let links = 0
  const look = (page: readonly ListedMessage[]) => {
    for (const message of page) {
      bytes += Buffer.byteLength(JSON.stringify(message.data ?? {}))
      for (const { url } of linksOf(message)) {
        const host = URL.parse(url ?? '')?.host
        const isMoved = hosts?.has(url ?? '') ?? true
        if (host && isMoved) links += 1
        if (host && !hosts?.has(url ?? '')) elsewhere.add(host)
      }
    }
    seen += page.length
  }
  look(first)
  const begin = first[0]?.sentAt ?? 0
  const newest = await from.get<{ data: readonly ListedMessage[] }>('/messages', {
    affix: 'prepend',
    limit: 1,
  })
  const end = newest.data[0]?.sentAt ?? begin
  const isAll = first.at(-1)?.id === newest.data[0]?.id
  let messages = first.length
  if (!isAll) {
    const step = Math.max(1, (end - begin) / samples)
    messages = 0
    for (let nth = 0; nth < samples; nth++) {
      const page = await pageAt(from, Math.max(1, Math.floor(begin + nth * step)))
      look(page)
      const span = Math.max(1, (page.at(-1)?.sentAt ?? 0) - (page[0]?.sentAt ?? 0))
      messages += Math.min(page.length / span, page.length) * step
    }
  }
  return {
    messages: Math.round(messages),
    bytesPerMessage: Math.round(bytes / (seen || 1)),
    files: Math.round((messages * links) / (seen || 1)),
    elsewhere,
  }
}

async function pageAt(from: Side, sentAt: number): Promise<readonly ListedMessage[]> {
  for await (const page of messagesOf(from, { sentAt })) return page
  return []
}

async function secondsPerCall(from: Side): Promise<number> {
  const started = Date.now()
  for (let call = 0; call < 3; call++) await from.get('/roles', { perPage: 1 })
  return (Date.now() - started) / 3000
}
