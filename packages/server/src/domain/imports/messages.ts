import type { ImportedMessage, imports } from '@chorale/contract/imports'
import type { ConversationKey } from '../../outbox/committed.ts'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { Handlers, ReadCtx, WriteCtx } from '../../pipeline/handler.ts'
import { RawJson, rawObject } from '../../pipeline/raw-json.ts'
import type { Passwords } from '../../vault/passwords.ts'
import { hashMissing, importGroups } from '../groups/index.ts'
import { type Entry, type Extra, freshRow } from '../log/entries/index.ts'
import { findEntry, type ImportedEntry, importEntries } from '../log/index.ts'
import { checkContent } from '../messages/send/index.ts'
import { importUsers } from '../users/index.ts'
import { profilesIn, serialiseEntries } from '../views/index.ts'
import { resolveConversations, type Target } from './conversations.ts'
import { objectionToKey } from './outcomes.ts'
import { importPositions } from './positions.ts'
import type { SaidRow, StoredItem } from './stored-item.ts'

type Importing = Handlers<typeof imports, 'importMessages'>['importMessages']

/** A message with its place in the call, or why it cannot be stored. */
interface Item {
  readonly key: string
  readonly message: ImportedMessage
  readonly said: Said | Failure
}

interface Said {
  readonly data: string
  readonly extra: Extra
}

export const importingMessages = (passwords: Passwords): Importing => ({
  async prepare({ body: { messages } }, before) {
    const items = Object.entries(messages).map(([key, message]) => ({
      key,
      message,
      said: saidIn(before, key, message),
    }))
    const all = Object.values(messages)
    const hashed = await hashMissing(
      passwords,
      before,
      all.flatMap(({ receiverGroupDetails }) => receiverGroupDetails ?? []),
    )
    return async (ctx) => {
      await importUsers(ctx, all.flatMap(usersIn))
      const groups = await importGroups(ctx, hashed)
      const outcomes = await store(ctx, items, groups)
      return new RawJson(rawObject({}, { data: rawObject({}, outcomes) }))
    }
  },
})

function kindOf({ category = 'message', type = 'text' }: ImportedMessage) {
  return [category, type] as const
}

function usersIn(message: ImportedMessage) {
  const { senderUserDetails, receiverUserDetails, receiverGroupOwnerDetails } = message
  return [senderUserDetails, receiverUserDetails, receiverGroupOwnerDetails].filter(
    (one) => one !== undefined,
  )
}

/** As it will be stored: by the rules that a send has for its content, and by no other. */
function saidIn({ app, now }: ReadCtx, key: string, message: ImportedMessage): Said | Failure {
  const objection = objectionToKey(key, 'muid', message.muid)
  if (objection) return objection
  if (message.sentAt > now) return badRequest('sentAt', 'It lies in the future.')
  try {
    const { data, mentions } = checkContent(app, ...kindOf(message), message.data)
    const { tags = [] } = message
    const extra: Extra = {
      imported: true,
      ...(tags.length > 0 && { tags }),
      ...(mentions.length > 0 && { mentions }),
    }
    return { data: JSON.stringify(data), extra }
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

/** What became of each, as JSON text. */
async function store(
  ctx: WriteCtx,
  items: readonly Item[],
  groups: ReadonlyMap<string, unknown>,
): Promise<Record<string, string>> {
  const targets = await resolveConversations(
    ctx,
    items.map(({ message }) => message),
    groups,
  )
  const refusals = new Map<string, Failure>()
  const ready: Ready[] = []
  for (const [place, item] of items.entries()) {
    const target = targets[place]
    if (item.said instanceof Failure) refusals.set(item.key, item.said)
    else if (!target || target instanceof Failure) {
      if (target) refusals.set(item.key, target)
    } else ready.push({ item, target, said: rowOf(item.message, item.said) })
  }
  const placed = await importEntries(
    ctx,
    ready.map(({ item, said, target }) => entryOf(item.message, said, target.conversation)),
  )
  const stored: (StoredItem & { readonly key: string })[] = []
  for (const [place, { item, said, target }] of ready.entries()) {
    const at = placed[place]
    if (at === 'older' || at === 'taken') refusals.set(item.key, refusalOf(at, item.message))
    else if (at) stored.push({ key: item.key, message: item.message, said, target, placed: at })
  }
  await importPositions(ctx, stored)
  const texts = await serialise(ctx, stored)
  const outcomes = new Map(stored.map(({ key }, place) => [key, texts[place] ?? '']))
  return Object.fromEntries(
    items.map(({ key }) => [key, outcomeText(outcomes.get(key) ?? refusals.get(key))]),
  )
}

function outcomeText(outcome: string | Failure | undefined): string {
  if (outcome === undefined) throw new Error('A message of an import has no outcome.')
  return outcome instanceof Failure
    ? JSON.stringify({ success: false, error: outcome.brief() })
    : rawObject({ success: true }, { data: outcome })
}

interface Ready {
  readonly item: Item
  readonly target: Target
  readonly said: SaidRow
}

function rowOf(message: ImportedMessage, { data, extra }: Said): SaidRow {
  const { category = 'message', type = 'text', sender } = message
  return { sender, category, type, data, extra }
}

function entryOf(
  { muid, sentAt }: ImportedMessage,
  { extra, ...said }: SaidRow,
  { bucket, key }: ConversationKey,
): ImportedEntry {
  return { bucket, key, muid, sentAt, ...said, extra: JSON.stringify(extra) }
}

function refusalOf(reason: 'older' | 'taken', { muid }: ImportedMessage): Failure {
  return reason === 'taken'
    ? new Failure('ERR_IMPORT_MUID_ALREADY_EXISTS', { muid })
    : badRequest('sentAt', 'The conversation has a later message already.')
}

/** As the answer has them. A repeat shows what was stored first. */
async function serialise(
  { db }: WriteCtx,
  stored: readonly StoredItem[],
): Promise<readonly string[]> {
  const entries: Entry[] = []
  for (const { message, said, target, placed } of stored) {
    const { conversation, receiver } = target
    const row = placed.repeated ? await findEntry(db, conversation, placed.seq) : undefined
    entries.push({
      row: row ?? freshRow(conversation, placed, { ...said, muid: message.muid }),
      receiver,
    })
  }
  return serialiseEntries(db, profilesIn(db), entries, { viewer: undefined })
}
