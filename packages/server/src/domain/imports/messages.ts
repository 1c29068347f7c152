import type { ImportedMessage, imports } from '@chorale/contract/imports'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { Handlers, PartsCtx, WriteCtx } from '../../pipeline/handler.ts'
import { RawJson, rawObject } from '../../pipeline/raw-json.ts'
import type { Passwords } from '../../vault/passwords.ts'
import { mapInTurns } from '../../watchdog/map-in-turns.ts'
import { inPart } from '../../watchdog/turns.ts'
import { hashMissing, importGroups } from '../groups/index.ts'
import { type Entry, freshRow } from '../log/entries/index.ts'
import { findEntriesAt } from '../log/imported/index.ts'
import { type ImportedEntry, importEntries, type RefusedImport } from '../log/index.ts'
import { changeImported, insertReactions, insertReplies } from '../messages/imported/index.ts'
import { importUsers } from '../users/index.ts'
import { profilesIn, serialiseEntries } from '../views/index.ts'
import { resolveConversations, type Target } from './conversations.ts'
import { nameUploads, withUploads } from './named-files.ts'
import { importPositions } from './positions.ts'
import { reactionsOf, saidIn } from './said.ts'
import type { Said, StoredItem } from './stored-item.ts'

type Importing = Handlers<typeof imports, 'importMessages'>['importMessages']

/** A message with its place in the call, or why it cannot be stored. */
interface Item {
  readonly key: string
  readonly message: ImportedMessage
  readonly said: Said | Failure
}

export const importingMessages = (passwords: Passwords): Importing => ({
  async prepare({ body: { messages, update = false, unread = false } }, before) {
    const items = await mapInTurns(Object.entries(messages), ([key, message]) => ({
      key,
      message,
      said: saidIn(before, key, message, unread),
    }))
    const all = Object.values(messages)
    const hashed = await hashMissing(
      passwords,
      before,
      all.flatMap(({ receiverGroupDetails }) => receiverGroupDetails ?? []),
    )
    return async (ctx) => {
      const groups = await importDetails(ctx, all.flatMap(usersIn), hashed)
      const outcomes = new Map<string, string>()
      const ordered = items.toSorted(inOrder)
      for (let first = 0; first < ordered.length; ) {
        const stored = await inPart((isShared) => {
          const part = ordered.slice(first, isShared ? first + maxBesideOthers : undefined)
          return ctx.inTransaction(async (transaction) => {
            const own = { ...ctx, ...transaction }
            return store(own, await withUploads(own, part), groups, update)
          })
        })
        for (const [key, outcome] of stored) outcomes.set(key, outcome)
        first += stored.length
      }
      const texts = await mapInTurns(items, ({ key }) => [key, outcomes.get(key) ?? ''] as const)
      return new RawJson(rawObject({}, { data: rawObject({}, Object.fromEntries(texts)) }))
    }
  },
})

/** A statement for so many takes a few milliseconds, for which the sends of others may have to wait. */
const maxBesideOthers = 50

/** A conversation grows in the order of times, also over several parts. */
function inOrder({ message: a }: Item, { message: b }: Item): number {
  return a.sentAt - b.sentAt || Number(a.id ?? 0) - Number(b.id ?? 0)
}

async function importDetails(
  ctx: PartsCtx,
  users: Parameters<typeof importUsers>[1],
  groups: Parameters<typeof importGroups>[1],
): ReturnType<typeof importGroups> {
  if (users.length === 0 && groups.size === 0) return new Map()
  return ctx.inTransaction(async (transaction) => {
    const own = { ...ctx, ...transaction }
    await importUsers(own, users)
    return importGroups(own, groups)
  })
}

function usersIn(message: ImportedMessage) {
  const { senderUserDetails, receiverUserDetails, receiverGroupOwnerDetails } = message
  return [senderUserDetails, receiverUserDetails, receiverGroupOwnerDetails].filter(
    (one) => one !== undefined,
  )
}

interface Ready {
  readonly key: string
  readonly message: ImportedMessage
  readonly said: Said
  readonly target: Target
}

/** What became of each, as JSON text. */
async function store(
  ctx: WriteCtx,
  items: readonly Item[],
  groups: ReadonlyMap<string, unknown>,
  update: boolean,
): Promise<(readonly [string, string])[]> {
  const targets = await resolveConversations(
    ctx,
    items.map(({ message }) => message),
    groups,
  )
  const refusals = new Map<string, Failure>()
  const ready: Ready[] = []
  for (const [place, { key, message, said }] of items.entries()) {
    const target = targets[place]
    if (said instanceof Failure) refusals.set(key, said)
    else if (target instanceof Failure) refusals.set(key, target)
    else if (target) ready.push({ key, message, said, target })
  }
  const placed = await importEntries(ctx, ready.map(entryOf))
  const stored: StoredItem[] = []
  for (const [place, item] of ready.entries()) {
    const at = placed[place]
    if (typeof at === 'string') refusals.set(item.key, refusalOf(at, item.message))
    else if (at) stored.push({ ...item, placed: at })
  }
  await storeBeside(ctx, stored)
  await importPositions(ctx, stored, update)
  const texts = await serialise(ctx, stored, update)
  const outcomes = new Map(stored.map(({ key }, place) => [key, texts[place] ?? '']))
  return mapInTurns(items, ({ key }) => {
    return [key, outcomeText(outcomes.get(key) ?? refusals.get(key))] as const
  })
}

function outcomeText(outcome: string | Failure | undefined): string {
  if (outcome === undefined) throw new Error('A message of an import has no outcome.')
  return outcome instanceof Failure
    ? JSON.stringify({ success: false, error: outcome.brief() })
    : rawObject({ success: true }, { data: outcome })
}

function entryOf({ message, said, target }: Ready): ImportedEntry {
  const { bucket, key } = target.conversation
  const { id, parentId, sentAt, editedAt, deletedAt } = message
  const { updatedAt } = message
  const changed = updatedAt ?? deletedAt ?? editedAt
  return {
    ...said,
    bucket,
    key,
    id: id === undefined ? undefined : Number(id),
    muid: muidOf(message),
    parentId: parentId === undefined ? undefined : Number(parentId),
    sentAt,
    updatedAt: changed === sentAt ? undefined : changed,
    editedAt,
    deletedAt,
    extra: JSON.stringify(said.extra),
  }
}

/** One that is the id stands for none. */
function muidOf({ id, muid }: ImportedMessage): string | undefined {
  return muid === id ? undefined : muid
}

function refusalOf(reason: RefusedImport, { muid, parentId }: ImportedMessage): Failure {
  switch (reason) {
    case 'taken':
      return new Failure('ERR_IMPORT_MUID_ALREADY_EXISTS', { muid })
    case 'disordered':
      return badRequest('id', 'The conversation has a message with a larger id already.')
    case 'orphaned':
      return badRequest('parentId', `No message ${parentId} of this conversation takes replies.`)
    case 'older':
      return badRequest('sentAt', 'The conversation has a later message already.')
  }
}

/** Files, replies and reactions of the messages that are new. */
async function storeBeside(ctx: WriteCtx, stored: readonly StoredItem[]): Promise<void> {
  const { db } = ctx
  const fresh = stored.filter(({ placed }) => !placed.repeated)
  await nameUploads(ctx, fresh)
  await insertReplies(
    db,
    fresh.flatMap(({ message, said, target, placed: { id, parentSeq } }) => {
      if (parentSeq === undefined) return []
      const isDeleted = message.deletedAt !== undefined
      return [{ ...target.conversation, id, parentSeq, sender: said.sender, isDeleted }]
    }),
  )
  await insertReactions(
    db,
    fresh
      .filter(({ message }) => message.deletedAt === undefined)
      .flatMap(({ message, target: { conversation }, placed: { seq } }) =>
        reactionsOf(message).map((one) => ({ ...conversation, ...one, seq })),
      ),
  )
}

/** As the answer has them. A repeat shows what was stored first, or what an update makes of it. */
async function serialise(
  { db, addresses }: WriteCtx,
  stored: readonly StoredItem[],
  update: boolean,
): Promise<readonly string[]> {
  const repeats = stored.filter(({ placed }) => placed.repeated)
  const known = await findEntriesAt(db, repeats.map(placeOf))
  const changed: StoredItem[] = []
  for (const item of update ? repeats : []) {
    if (await change({ db }, item, known.get(item.placed.id))) changed.push(item)
  }
  const rows = new Map([...known, ...(await findEntriesAt(db, changed.map(placeOf)))])
  const entries = stored.map((item): Entry => {
    const row = item.placed.repeated ? rows.get(item.placed.id) : newRow(item)
    if (!row) throw new Error('An imported message is gone.')
    return { row, receiver: item.target.receiver }
  })
  return serialiseEntries(db, profilesIn(db), entries, { viewer: undefined, addresses })
}

function placeOf({ target: { conversation }, placed: { seq } }: StoredItem) {
  return { ...conversation, seq }
}

function newRow({ message, said, target, placed }: StoredItem): Entry['row'] {
  const { sentAt, editedAt, deletedAt } = message
  return {
    ...freshRow(target.conversation, placed, { ...said, muid: muidOf(message) }),
    updatedAt: message.updatedAt ?? deletedAt ?? editedAt ?? sentAt,
    editedAt: editedAt ?? null,
    deletedAt: deletedAt ?? null,
  }
}

/** False: it is so already. */
async function change(
  { db }: Pick<WriteCtx, 'db'>,
  { message, said }: StoredItem,
  row: Entry['row'] | undefined,
): Promise<boolean> {
  if (!row) return false
  const { editedAt, editedBy, deletedAt, deletedBy, tags, reactions } = message
  return changeImported(db, row, {
    data: said.data,
    mentions: said.extra.mentions ?? [],
    files: said.extra.files ?? [],
    tags,
    updatedAt: message.updatedAt,
    editedAt,
    editedBy,
    deletedAt,
    deletedBy,
    reactions: reactions && reactionsOf(message),
  })
}
