import { type RawBuilder, sql } from 'kysely'
import { expect } from 'vitest'
import type { AppDb } from '../../../server/src/database/app-db.ts'
import type { Db } from '../../../server/src/database/db.ts'
import {
  findGroupConversation,
  isParticipant,
} from '../../../server/src/domain/conversations/access.sql.ts'
import {
  findConversation,
  listConversations,
} from '../../../server/src/domain/conversations/conversations.sql.ts'
import { findMembers } from '../../../server/src/domain/groups/members.sql.ts'
import type { ConversationKey } from '../../../server/src/domain/log/entries/entries.ts'
import { appendEntries } from '../../../server/src/domain/log/log.sql.ts'
import {
  deleteParticipants,
  insertParticipants,
  resetFor,
  setTags,
} from '../../../server/src/domain/log/participants/participants.sql.ts'
import {
  findHead,
  findMark,
  lockPosition,
  recordMoves,
  setDelivered,
  setRead,
} from '../../../server/src/domain/log/participants/positions.sql.ts'
import {
  appScan,
  boundsOf,
  type Span,
  scanEntries,
  userScan,
} from '../../../server/src/domain/messages/history/history.sql.ts'
import { findPages } from '../../../server/src/domain/messages/history/history-page.sql.ts'
import { findGroupPlaces } from '../../../server/src/domain/messages/history/history-scope.sql.ts'
import { openNewestPages } from '../../../server/src/domain/messages/history/newest-pages.ts'
import { listReceipts } from '../../../server/src/domain/messages/receipts.sql.ts'
import { readSpans, saveWords } from '../../../server/src/domain/messages/search/search.sql.ts'
import {
  findMessage,
  lockConversationOf,
} from '../../../server/src/domain/messages/stored/messages.sql.ts'
import { replyCounts } from '../../../server/src/domain/messages/threads.sql.ts'
import { appsThatNotify } from '../../../server/src/domain/notifications/notification-config.sql.ts'
import { addPoints, noteActive, takeFresh } from '../../../server/src/domain/stats/counting.sql.ts'
import { findSeenUsers } from '../../../server/src/domain/users/seen-users.sql.ts'
import {
  changesAfter,
  entriesAfter,
  findEntryId,
  findHeads,
  findMembership,
} from '../../../server/src/domain/views/feed.sql.ts'
import { findMoves } from '../../../server/src/domain/views/moves.sql.ts'
import { messageOf } from './log-entries.ts'
import { type Explainer, objectionsTo } from './plans.ts'

export interface Crowded {
  readonly appId: string
  readonly guid: string
  readonly uid: string
  readonly place: ConversationKey
  /** Entries in the conversation; every one has the muid `muid-<seq>`. */
  readonly head: number
}

export async function crowdedGroup(db: Db, appId: string, guid: string): Promise<Crowded> {
  const place = await findGroupConversation({ appId, db }, guid)
  if (!place) throw new Error(`There is no group ${guid}.`)
  const { seq } = await findHead({ appId, db }, place)
  return { appId, guid, uid: `${guid.replace(/-\d+$/, '')}-1`, place, head: seq }
}

type Work = (appDb: AppDb, crowded: Crowded) => Promise<unknown>

/** Everything that a send, a mark or a look does, by name. */
export const preparedStatements: Readonly<Record<string, Work>> = {
  append: ({ db, appId }, { place, uid }) =>
    appendEntries(db, [messageOf({ ...place, appId }, uid, { muid: 'new' })], 1),
  'append of a batch': ({ db, appId }, { place, uid }) => {
    const entry = messageOf({ ...place, appId }, uid)
    return appendEntries(db, [entry, entry], 1)
  },
  'append of a reply': ({ db, appId }, { place, uid }) =>
    appendEntries(db, [messageOf({ ...place, appId }, uid, { parentSeq: 1 })], 1, [replyCounts]),
  'group conversation': (db, { guid }) => findGroupConversation(db, guid),
  'is participant': (db, { place, uid }) => isParticipant(db, place, uid),
  members: (db, { guid, uid }) => findMembers(db, guid, [uid], true),
  head: (db, { place }) => findHead(db, place),
  mark: async (db, crowded) => findMark(db, crowded.place, await lastId(db, crowded), 0),
  'lock position': (db, { place, uid }) => lockPosition(db, place, uid),
  'set read': (db, { place, uid, head }) =>
    setRead(db, place, uid, { seq: head - 20, counted: head - 20 }),
  'set delivered': (db, { place, uid, head }) =>
    setDelivered(db, place, uid, { seq: head, counted: head }),
  'record move': (db, { place, uid, head }) =>
    recordMoves(db, place, { uid, kind: 'read' }, [{ seq: head, at: 1 }]),
  reset: (db, { place, uid }) => resetFor(db, place, uid),
  tag: (db, { place, uid }) => setTags(db, place, uid, ['work']),
  'conversation with its last message': (db, { place, uid }) => findConversation(db, place, uid),
  'new participant': (db, { place, guid }) => insertParticipants(db, place, guid, ['newcomer']),
  'place of a group': ({ db, appId }, { guid, uid }) =>
    findGroupPlaces(
      db,
      [{ appId, of: guid, viewer: uid, newest: { limit: 30, withheldToo: true } }],
      openNewestPages(0),
    ),
  'page of a conversation': ({ db, appId }, { place, head }) => {
    const page = { after: 0, before: head, direction: 'prepend', limit: 30, own: 'nobody' } as const
    return findPages(db, [{ appId, ...place, ...page }])
  },
  'moves of a reader': ({ db, appId }, { place, uid, head }) =>
    findMoves(db, [{ appId, ...place, reader: uid, first: head - 30, last: head }]),
  'users whom a page shows': ({ db, appId }, { uid }) =>
    findSeenUsers(db, [{ appId, uid, viewer: uid }]),
  message: async (db, crowded) => findMessage(db, await lastId(db, crowded), false),
  'hold its conversation': async (db, crowded) => lockConversationOf(db, await lastId(db, crowded)),
  'who received it': (db, { place, uid, head }) =>
    listReceipts(db, { ...place, seq: head, sender: uid }, { after: '', limit: 100, examine: 50 }),
  membership: (db, { place, uid }) => findMembership(db, uid, place),
  heads: ({ db, appId }, { place }) => findHeads(db, [{ ...place, appId }]),
  'missed entries': (db, { place, head }) => entriesAfter(db, place, head - 30, 200),
  'missed changes': (db, { place, head }) =>
    changesAfter(db, place, { change: 0, afterSeq: 0, upToSeq: head }, 200),
  'id of an entry': (db, { place, head }) => findEntryId(db, place, head),
  'participant leaves': (db, { place, uid }) => deleteParticipants(db, place, [uid]),
  'what is to be counted': (db, { place, uid, head: seq }) =>
    takeFresh(db, [
      { ...place, seq, uid: '', kind: 'sent' },
      { ...place, seq, uid, kind: 'read' },
    ]),
  'points of statistics': (db) =>
    addPoints(db, 0, [{ grain: 300, startsAt: 0, messages: 1, deliveries: 0, reads: 0 }]),
  'active users': (db, { uid }) => noteActive(db, [{ uid, at: 1 }]),
  'entries to be indexed': ({ db }, { place, head }) =>
    readSpans(db, [{ ...place, firstSeq: head - 3, lastSeq: head }]),
  'words of entries': ({ db, appId }, { place, head: seq }) =>
    saveWords(db, [{ ...place, appId, seq, id: seq, change: 0, text: null, words: [1, 2] }]),
  'apps that notify': ({ db, appId }) => appsThatNotify(db, [appId]),
}

async function lastId({ db }: AppDb, { place, head }: Crowded): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select id from entries where bucket = ${place.bucket} and conversation_key = ${place.key}
      and seq = ${head}`.execute(db)
  return rows[0]?.id ?? 0
}

/** One user's list: the heads of all their conversations, wherever they lie. */
export function firstPage(db: AppDb, uid: string) {
  const filter = {
    uid,
    kind: undefined,
    search: undefined,
    tags: undefined,
    userTags: undefined,
    groupTags: undefined,
    includeBlockedUsers: false,
    unreadOnly: false,
  }
  return listConversations(db, filter, { page: 1, perPage: 100, after: undefined })
}

/** Lists that cross conversations, back from a place far behind the newest. */
const wideLists: Readonly<Record<string, Work>> = {
  list: (db, { uid }) => firstPage(db, uid),
  'messages of a user': (db, { uid }) =>
    scan(db, userScan(db, { kind: 'user', uid }, { direction: 'prepend' }, 10)),
  'messages of the app': async (db, crowded) => scan(db, appScan(db, await back(db, crowded), 10)),
  'beside an id': async (db, crowded) =>
    boundsOf(db, { ...crowded.place, hiddenTo: 0 }, await back(db, crowded)),
}

async function back(db: AppDb, crowded: Crowded): Promise<Span> {
  return { direction: 'prepend', id: (await lastId(db, crowded)) - 6400 }
}

function scan(db: AppDb, entries: RawBuilder<unknown>) {
  return scanEntries(db, entries, 'prepend', sql`true`, 10)
}

/** No prepared statement reads a table from end to end, or a partition that is not its conversation's. */
export async function checkPreparedPlans(explainer: Explainer, crowded: Crowded): Promise<void> {
  const found: Record<string, string[]> = {}
  const { appId } = crowded
  for (const [name, work] of Object.entries(preparedStatements)) {
    const plans = await explainer.plansOf((db) => work({ appId, db }, crowded))
    found[name] = plans.flatMap((plan) => objectionsTo(plan, { partitions: 'one' }))
  }
  const inside = await explainer.plansInside('append_entries', appendOf(crowded))
  const { place, uid, head } = crowded
  const muid = [`{${place.bucket}}`, `{${place.key}}`, `{${uid}}`, `{muid-${head}}`]
  const known = await explainer.plansInside('find_muids', muid)
  found['find by muid'] = known.flatMap((plan) => objectionsTo(plan, { partitions: 'one' }))
  found['inside append'] = inside.flatMap((plan) => objectionsTo(plan, { partitions: 'one' }))
  for (const [name, work] of Object.entries(wideLists)) {
    const plans = await explainer.plansOf((db) => work({ appId, db }, crowded))
    found[name] = plans.flatMap((plan) => objectionsTo(plan, { partitions: 'many' }))
  }
  expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, []])))
}

/** Arguments of `append_entries`: three entries of one conversation. */
function appendOf({ appId, uid, place }: Crowded): string[] {
  const once = (value: number) => `{${value}}`
  const thrice = (value: string | number | boolean) => `{${[value, value, value].join(',')}}`
  const conversation = [once(place.bucket), once(place.key), once(3), once(3), once(0), once(3)]
  return [
    '1',
    ...conversation,
    thrice(1),
    '{1,2,3}',
    '{1,2,3}',
    thrice(appId),
    thrice(uid),
    '{new-1,new-2,new-3}',
    thrice('message'),
    thrice('text'),
    thrice('{}').replaceAll('{}', '"{}"'),
    thrice('null'),
    thrice('null'),
    thrice(true),
    thrice('null'),
  ]
}
