import { sql } from 'kysely'
import { expect } from 'vitest'
import { disorderIn, logOf, type StoredEntry } from '../data/log-entries.ts'
import type { LogEntry } from './model.ts'
import { conversationOf, type Fixture, play } from './player.ts'

interface Participant {
  readonly uid: string
  readonly readSeq: number
  readonly resetSeq: number
  readonly tags: string[] | null
  /** Entries behind the position that count and are someone else's, counted one by one. */
  readonly recount: number
}

/** A group as its rows have it. */
export interface State {
  readonly members: Readonly<Record<string, string>>
  readonly bans: readonly string[]
  readonly participants: readonly Participant[]
  readonly participantsCount: number
  readonly shownSeq: number
  readonly log: readonly StoredEntry[]
}

/** The rows of the group, after everything that must hold whatever happened has been looked at. */
export async function stateOf(fixture: Fixture): Promise<State | undefined> {
  const found = await conversationOf(fixture)
  if (!found) return undefined
  const { appId, db, guid } = fixture
  const { bucket, key } = found
  const members = await sql<{ uid: string; scope: string }>`
    select uid, scope from group_members
    where app_id = ${appId} and guid = ${guid} order by uid`.execute(db)
  const bans = await sql<{ uid: string }>`
    select uid from group_bans where app_id = ${appId} and guid = ${guid} order by uid`.execute(db)
  const participants = await sql<Participant>`
    select p.uid, p.read_seq as "readSeq", p.reset_seq as "resetSeq", p.tags,
           (select count(*) from entries e
            where e.bucket = p.bucket and e.conversation_key = p.conversation_key
              and e.seq > p.read_seq and e.counts and e.sender <> p.uid) as recount
    from participants p where p.bucket = ${bucket} and p.conversation_key = ${key}
    order by p.uid`.execute(db)
  const head = await sql<{ head: number; counted: number; n: number; shown: number | null }>`
    select head, counted, participants_count as n, shown_seq as shown from conversations
    where bucket = ${bucket} and conversation_key = ${key}`.execute(db)
  const log = await logOf(db, found)
  expect(disorderIn(log, bucket)).toEqual([])
  expect(head.rows).toMatchObject([{ head: log.length, counted: log.at(-1)?.counted ?? 0 }])
  const membersByUid = Object.fromEntries(members.rows.map(({ uid, scope }) => [uid, scope]))
  expect(participants.rows.map(({ uid }) => uid)).toEqual(Object.keys(membersByUid))
  const participantsCount = head.rows[0]?.n ?? -1
  expect(participantsCount).toBe(members.rows.length)
  return {
    members: membersByUid,
    bans: bans.rows.map(({ uid }) => uid),
    participants: participants.rows,
    participantsCount,
    shownSeq: head.rows[0]?.shown ?? 0,
    log,
  }
}

/** Every member is told the exact unread count, and all of them the same last message. */
export async function checkViews(fixture: Fixture, state: State): Promise<void> {
  const { client, guid } = fixture
  expect((await client.getGroup({ params: { guid } })).data.membersCount).toBe(
    state.participants.length,
  )
  for (const { uid, resetSeq, recount, tags } of state.participants) {
    const answer = await play(fixture, { ...someLook, by: uid })
    const expected =
      state.shownSeq > resetSeq
        ? { code: 'ok', seen: { unread: recount, lastSeq: state.shownSeq, tags: tags ?? [] } }
        : { code: 'ERR_CONVERSATION_NOT_ACCESSIBLE' }
    expect({ uid, ...answer }).toEqual({ uid, ...expected })
  }
}

const someLook = {
  kind: 'look',
  on: '',
  lists: { admins: [], moderators: [], participants: [], usersToBan: [] },
  scope: 'participant',
  type: 'public',
  to: undefined,
  tags: [],
} as const

/** A stored entry in the words of the model. */
export function entryOf({ sender, counts, category, data }: StoredEntry): LogEntry {
  if (category !== 'action') return { sender, counts, action: 'sent' }
  const { action, on, oldScope, newScope } = data
  return {
    sender,
    counts,
    action: String(action),
    ...(on !== undefined && { on: String(on) }),
    ...(oldScope !== undefined && { oldScope: String(oldScope) }),
    ...(newScope !== undefined && { newScope: String(newScope) }),
  }
}
