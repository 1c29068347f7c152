import type { Api } from '@chorale/contract/api'
import type { Conversation } from '@chorale/contract/conversations'
import type { ItemOutcome } from '@chorale/contract/envelope'
import type { Client } from '@chorale/contract/operation'
import { ChoraleError } from '@chorale/sdk'
import { sql } from 'kysely'
import type { Batcher } from '../../../server/src/database/batcher.ts'
import type { Db } from '../../../server/src/database/db.ts'
import {
  findGroupConversation,
  isParticipant,
} from '../../../server/src/domain/conversations/access.sql.ts'
import type { ConversationKey } from '../../../server/src/domain/log/entries/entries.ts'
import type { Appended, NewEntry } from '../../../server/src/domain/log/log.sql.ts'
import { messageOf } from '../data/log-entries.ts'
import type { Answer } from './model.ts'
import type { Step } from './steps.ts'

export interface Fixture {
  readonly appId: string
  readonly db: Db
  readonly client: Client<Api>
  readonly batcher: Batcher<NewEntry, Appended>
  readonly guid: string
  /** Whether what happens to members counts as unread and is shown as the last message. */
  readonly actionsCount: boolean
}

export interface Played extends Answer {
  /** The entry that was sent. */
  readonly sentId?: number
  /** The entries that say who was added or joined. */
  readonly arrivals?: Readonly<Record<string, number>>
}

/** Does a step through the API. Any failure that a client should not see is thrown. */
export async function play(fixture: Fixture, step: Step): Promise<Played> {
  try {
    return await performers[step.kind](fixture, step, step.by)
  } catch (error) {
    if (error instanceof ChoraleError && error.status < 500) return { code: error.code }
    throw error
  }
}

export function conversationOf({ appId, db, guid }: Fixture): Promise<ConversationKey | undefined> {
  return findGroupConversation({ appId, db }, guid)
}

type Performer = (fixture: Fixture, step: Step, by: string | undefined) => Promise<Played>

const ok = { code: 'ok' } as const
const acting = (by: string | undefined) => (by === undefined ? {} : { onBehalfOf: by })

const performers: Readonly<Record<Step['kind'], Performer>> = {
  async create({ client, guid }, { lists, type }, by) {
    const body = { guid, name: guid, type, members: copied(lists) }
    return admitted((await client.createGroup({ body, ...acting(by) })).data)
  },
  async join({ client, guid }, _, by) {
    return admitted((await client.addMembers({ params: { guid }, body: {}, ...acting(by) })).data)
  },
  async add({ client, guid }, { lists }, by) {
    const input = { params: { guid }, body: copied(lists), ...acting(by) }
    return admitted((await client.addMembers(input)).data)
  },
  async leave({ client, guid }, _, by = '') {
    await client.leaveGroup({ params: { guid }, onBehalfOf: by })
    return ok
  },
  async kick({ client, guid }, { on }, by) {
    await client.kickMember({ params: { guid, uid: on }, ...acting(by) })
    return ok
  },
  async ban({ client, guid }, { on }, by) {
    await client.banUser({ params: { guid, uid: on }, ...acting(by) })
    return ok
  },
  async unban({ client, guid }, { on }, by) {
    await client.unbanUser({ params: { guid, uid: on }, ...acting(by) })
    return ok
  },
  async scope({ client, guid }, { on, scope }, by) {
    await client.changeMemberScope({ params: { guid, uid: on }, body: { scope }, ...acting(by) })
    return ok
  },
  /** As sending will be: who is no member is refused first, then the batcher takes it. */
  async send(fixture, _, by = '') {
    const { appId, db, batcher } = fixture
    const found = await conversationOf(fixture)
    if (!found || !(await isParticipant({ appId, db }, found, by))) return { code: 'not sent' }
    const { id } = await batcher.add(messageOf({ appId, ...found }, by))
    return { ...ok, sentId: id }
  },
  async read(fixture, { to }, by = '') {
    const messageId = to === undefined ? undefined : await idOf(fixture, to)
    const body = messageId === undefined ? {} : { messageId }
    const { client, guid } = fixture
    await client.markGroupConversationRead({ params: { guid }, body, onBehalfOf: by })
    return ok
  },
  async unread(fixture, { to = 0 }, by = '') {
    const body = { messageId: await idOf(fixture, to) }
    const { client, guid } = fixture
    await client.markGroupConversationUnread({ params: { guid }, body, onBehalfOf: by })
    return ok
  },
  async reset({ client, guid }, _, by = '') {
    await client.resetGroupConversation({ params: { guid }, onBehalfOf: by })
    return ok
  },
  async tag(fixture, { tags }, by = '') {
    const { client, guid } = fixture
    const body = { tags: [...tags] }
    const answer = await client.updateGroupConversation({ params: { guid }, body, onBehalfOf: by })
    return { ...ok, seen: await seen(fixture, answer.data) }
  },
  async look(fixture, _, by = '') {
    const { client, guid } = fixture
    const answer = await client.getGroupConversation({ params: { guid }, onBehalfOf: by })
    return { ...ok, seen: await seen(fixture, answer.data) }
  },
}

type Outcomes = Readonly<Record<string, ItemOutcome & { data?: { id?: unknown } }>>

function admitted(data: {
  readonly admins?: Outcomes
  readonly moderators?: Outcomes
  readonly participants?: Outcomes
  readonly usersToBan?: Outcomes
}): Played {
  const { admins, moderators, participants, usersToBan } = data
  const all = { ...admins, ...moderators, ...participants, ...usersToBan }
  const outcomes = Object.entries(all)
  return {
    ...ok,
    each: Object.fromEntries(
      outcomes.map(([uid, { success, error }]) => [uid, success ? 'ok' : (error?.code ?? '?')]),
    ),
    arrivals: Object.fromEntries(
      outcomes.flatMap(([uid, { data: message }]) => (message ? [[uid, Number(message.id)]] : [])),
    ),
  }
}

async function seen(fixture: Fixture, [conversation]: readonly Conversation[]) {
  if (!conversation) throw new Error('An answer without its conversation.')
  const found = await conversationOf(fixture)
  const { rows } = await sql<{ seq: number }>`
    select seq from entries where bucket = ${found?.bucket} and conversation_key = ${found?.key}
      and id = ${conversation.lastMessage?.id}`.execute(fixture.db)
  return {
    unread: Number(conversation.unreadMessageCount),
    lastSeq: rows[0]?.seq ?? 0,
    tags: conversation.tags ?? [],
  }
}

/** The id of the entry that a step means; one place behind the last is an id of nothing. */
async function idOf(fixture: Fixture, to: number): Promise<number> {
  const found = await conversationOf(fixture)
  if (!found) return 1
  const { rows } = await sql<{ id: number }>`
    select e.id from conversations c
    join entries e on e.bucket = c.bucket and e.conversation_key = c.conversation_key
      and e.seq = ${to} % (c.head + 1) + 1
    where c.bucket = ${found.bucket} and c.conversation_key = ${found.key}`.execute(fixture.db)
  return rows[0]?.id ?? 64_000_000_000_000 + found.bucket
}

function copied<K extends string>(lists: Readonly<Record<K, readonly string[]>>) {
  // The keys stay the same.
  return Object.fromEntries(
    Object.entries<readonly string[]>(lists).map(([name, uids]) => [name, [...uids]]),
  ) as Record<K, string[]>
}
