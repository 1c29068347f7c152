import type { Side } from './side.ts'
import type { Leftover } from './state.ts'

/** A body has a megabyte at most. */
const maxBytes = 900_000
const maxItems = 500

type Items = ReadonlyMap<string, object>

export interface Outcome {
  readonly success: boolean
  /** As it is stored. */
  readonly data?: {
    readonly id?: string
    readonly deletedAt?: number
    readonly data?: Readonly<Record<string, unknown>>
  }
  readonly error?: { readonly code: string; readonly message: string }
}

interface Importing {
  readonly to: Side
  /** `users`, `messages` and so on: the end of the path, and the name of the field. */
  readonly kind: string
  /** Beside the items. */
  readonly with?: object
  /** Items of a call. */
  readonly most?: number
}

/** Sends items in calls that are small enough; what became of each, by its key. */
export async function importItems(
  { to, kind, with: beside = {}, most = maxItems }: Importing,
  items: Items,
): Promise<Map<string, Outcome>> {
  const outcomes = new Map<string, Outcome>()
  for (const batch of batchesOf(items, most)) {
    const body = { ...beside, [kind]: Object.fromEntries(batch) }
    const path = `/data_import/${kind}`
    const { data } = await to.post<{ data: Readonly<Record<string, Outcome>> }>(path, body)
    for (const [key] of batch) outcomes.set(key, data[key] ?? lost)
  }
  return outcomes
}

const lost: Outcome = { success: false, error: { code: '', message: 'The answer leaves it out.' } }

function* batchesOf(items: Items, most: number): Generator<[string, object][]> {
  let batch: [string, object][] = []
  let bytes = 0
  for (const [key, item] of items) {
    const size = Buffer.byteLength(JSON.stringify(item)) + key.length + 4
    if (batch.length > 0 && (bytes + size > maxBytes || batch.length === most)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push([key, item])
    bytes += size
  }
  if (batch.length > 0) yield batch
}

export function leftoversIn(kind: string, outcomes: ReadonlyMap<string, Outcome>): Leftover[] {
  return [...outcomes].flatMap(([id, { success, error }]) =>
    success ? [] : [{ kind, id, why: `${error?.code}: ${error?.message}` }],
  )
}

export function lacksPeople({ error }: Outcome): boolean {
  return error?.code === 'ERR_UID_NOT_FOUND' || error?.code === 'ERR_GUID_NOT_FOUND'
}

/**
 * In lists in which no key comes twice, as items of a call have one each: a muid is unique for a
 * sender in a conversation only.
 */
export function withoutRepeats<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const lists: T[][] = []
  let keys = new Set<string>()
  for (const item of items) {
    const key = keyOf(item)
    if (lists.length === 0 || keys.has(key)) {
      lists.push([])
      keys = new Set()
    }
    keys.add(key)
    lists.at(-1)?.push(item)
  }
  return lists
}
