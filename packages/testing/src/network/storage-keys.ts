/** Names under which the tables know a conversation or an entry; `key` only where it is a number. */
const inside = new Set(['bucket', 'seq', 'parentSeq', 'conversationKey'])

/** Where a value that leaves the service shows how it is stored. */
export function storageKeysIn(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => {
    const here = `${path}/${name}`
    const shown = inside.has(name) || (name === 'key' && typeof item === 'number')
    return shown ? [here] : storageKeysIn(item, here)
  })
}
