import type { Api } from '@chorale/contract/api'
import type { Client } from '@chorale/contract/operation'

/** A row of a list of messages, as a page or a client shows it. */
export interface Row {
  /** The client id of a message of one's own, the id of another. */
  readonly key: string
  /** Empty for what is no text: that somebody joined. */
  readonly text: string
}

/** What stands in the place of the text of a deleted message. */
export const deleted = '(deleted)'

/** The rows that this user must be shown, read over REST from the first message to the last. */
export async function rowsFromRest(
  client: Client<Api>,
  conversationId: string,
  uid: string,
): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (let id: string | undefined = '1'; id !== undefined; ) {
    const query = { conversationId, affix: 'append', id, limit: 200 } as const
    const { data, meta } = await client.listMessages({ query, onBehalfOf: uid })
    for (const message of data) {
      if (!('id' in message)) continue
      const { category, type, sender, muid, deletedAt, data: content } = message
      // An edit or a deletion is shown in the row of its message.
      if (category === 'action' && type === 'message') continue
      rows.push({
        key: sender === uid && muid !== undefined ? muid : message.id,
        text: deletedAt === undefined ? (content.text ?? '') : deleted,
      })
    }
    id = meta.next?.id
  }
  return rows
}

/** What is wrong with the rows that are shown; empty: nothing is. */
export function faultsOf(shown: readonly Row[], stored: readonly Row[]): string[] {
  const texts = new Map(stored.map(({ key, text }) => [key, text]))
  const times = new Map<string, number>()
  for (const { key } of shown) times.set(key, (times.get(key) ?? 0) + 1)
  const name = ({ key, text }: Row) => `"${text || key}"`
  return [
    ...stored.filter(({ key }) => !times.has(key)).map((row) => `${name(row)} is missing`),
    ...stored
      .filter(({ key }) => (times.get(key) ?? 0) > 1)
      .map((row) => `${name(row)} is shown ${times.get(row.key)} times`),
    ...shown.flatMap((row) => {
      const text = texts.get(row.key)
      if (text === undefined) return [`${name(row)} is not stored`]
      return text === row.text ? [] : [`${name(row)} is shown in place of "${text}"`]
    }),
    ...misplaced(shown, stored).map((row) => `${name(row)} is misplaced`),
  ]
}

/** Each row that is shown before one that is older. */
function misplaced(shown: readonly Row[], stored: readonly Row[]): Row[] {
  const places = new Map(stored.map(({ key }, place) => [key, place]))
  const known = shown.filter(({ key }) => places.has(key))
  const placeOf = (row: Row | undefined) => places.get(row?.key ?? '') ?? Number.POSITIVE_INFINITY
  return known.filter((row, n) => placeOf(row) > placeOf(known[n + 1]))
}
