import { randomBytes } from 'node:crypto'
import { importItems, leftoversIn, withoutRepeats } from '../move/batches.ts'
import { withoutUploads } from '../move/files/links.ts'
import { makeRole, type Role, rolesOf } from '../move/people.ts'
import type { Side } from '../move/side.ts'
import type { Leftover } from '../move/state.ts'
import type { Kind } from './format.ts'
import { type Management, writeSettings } from './settings.ts'

interface Target {
  readonly to: Side
  readonly management: Management | undefined
}

/** By the calls that any client has. What was not taken, and why. */
export async function importBatch(
  { to, management }: Target,
  kind: Kind,
  items: readonly object[],
): Promise<Leftover[]> {
  switch (kind) {
    case 'settings':
      return importSettings(to, management, items)
    case 'role':
      return importRoles(to, items)
    case 'user':
      return importBy(to, 'users', items, 'uid', { update: true })
    case 'group':
      return importBy(to, 'groups', items.map(withPassword), 'guid', { update: true })
    case 'member':
      return importBy(to, 'members', items, 'memberId', { update: true })
    case 'message':
      return importMessages(to, items)
    case 'conversation':
      return importConversations(to, items)
    default:
      return []
  }
}

async function importSettings(
  { appId }: Side,
  management: Management | undefined,
  items: readonly object[],
): Promise<Leftover[]> {
  const left: Leftover[] = []
  for (const settings of items) {
    const refused = management
      ? await writeSettings(management, appId, { ...settings })
      : Object.keys(settings)
    const why = management ? 'It was refused.' : 'No management key was given.'
    left.push(...refused.map((id) => ({ kind: 'settings', id, why })))
  }
  return left
}

async function importRoles(to: Side, items: readonly object[]): Promise<Leftover[]> {
  const there = new Set((await rolesOf(to)).map(({ role }) => role))
  const left: Leftover[] = []
  for (const item of items) {
    // As the export has written it.
    const role = item as Role
    if (!there.has(role.role)) left.push(...(await makeRole(to, role)))
  }
  return left
}

/** None could be read: a new one is drawn, which nobody knows. */
function withPassword(group: object): object {
  const isLocked = 'type' in group && group.type === 'password'
  return isLocked ? { ...group, password: randomBytes(16).toString('hex') } : group
}

async function importBy(
  to: Side,
  kind: string,
  items: readonly object[],
  key: string,
  beside: object = {},
): Promise<Leftover[]> {
  const left: Leftover[] = []
  const keyOf = (item: object) => String(Object(item)[key])
  for (const some of withoutRepeats(items, keyOf)) {
    const keyed = new Map(some.map((item) => [keyOf(item), item]))
    left.push(...leftoversIn(kind, await importItems({ to, kind, with: beside }, keyed)))
  }
  return left
}

async function importConversations(to: Side, items: readonly object[]): Promise<Leftover[]> {
  const keyed = new Map(
    items.map((item) => {
      const { uid, conversationType, conversationWith } = Object(item)
      return [`${uid} ${conversationType} ${conversationWith}`, item]
    }),
  )
  const kind = 'conversations'
  return leftoversIn(kind, await importItems({ to, kind }, keyed))
}

const partsAtOnce = 4

/** In parts that have no conversation in common; each in the order of the archive. */
async function importMessages(to: Side, items: readonly object[]): Promise<Leftover[]> {
  const parts: object[][] = Array.from({ length: partsAtOnce }, () => [])
  const conversations = [...Map.groupBy(items, conversationOf).values()]
  for (const messages of conversations.toSorted((a, b) => b.length - a.length)) {
    const smallest = parts.reduce((least, part) => (part.length < least.length ? part : least))
    smallest.push(...messages)
  }
  const left = await Promise.all(
    parts.map((part) => importBy(to, 'messages', part.map(asLinked), 'muid', { unread: true })),
  )
  return left.flat()
}

function asLinked(message: object): object {
  return 'data' in message ? { ...message, data: withoutUploads(Object(message.data)) } : message
}

function conversationOf(message: object): string {
  const { receiverType, receiver, sender } = Object(message)
  return receiverType === 'group' ? `group ${receiver}` : [sender, receiver].sort().join(' ')
}
