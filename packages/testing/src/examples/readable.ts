/** By what a text that chance has made is replaced: in values, and in the names of fields. */
export type Replacements = ReadonlyMap<string, string>

/** Counters of the database, which go on by as much as happens at once. */
const counted = /^(?:id|_id|messageId|reactionId|parentId|logId|tag)$/
const inText = /(?<=\bmessage )\d+|(?<=^\d{10}\.0*)[1-9]\d*$/g
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const daySeconds = 86_400

/** How long something took, and places in a stream that only the service reads. */
const fixed: Readonly<Record<string, unknown>> = {
  tookMs: 12,
  totalProcessingTimeInMS: 35,
  after: 'ZXZlbnRzLDQyLDA',
}

/**
 * Makes examples that are the same at every recording: ids made by chance become ids that count,
 * and times of the machine become the time at which the examples are set.
 */
export function readableBy(replacements: Replacements, atSeconds: number) {
  const uuids = new Map<string, string>()
  const now = Date.now() / 1000
  const numbered = (id: string) => {
    const known =
      uuids.get(id) ?? `0190a6e4-7e1b-7000-8000-${String(uuids.size + 1).padStart(12, '0')}`
    uuids.set(id, known)
    return known
  }
  const ids = new Map<string, string>()
  const nth = (id: string) => {
    const known = ids.get(id) ?? String(1001 + ids.size)
    ids.set(id, known)
    return known
  }
  const text = (value: string) => {
    let result = value
    for (const [from, to] of replacements) result = result.replaceAll(from, to)
    result = result.replaceAll(/\berased-[0-9a-f]{16}\b/g, 'erased-0123456789abcdef')
    return result.replaceAll(uuid, numbered).replaceAll(inText, nth)
  }
  const number = (value: number) => {
    if (Math.abs(value - now) < daySeconds) return atSeconds
    return Math.abs(value / 1000 - now) < daySeconds ? atSeconds * 1000 : value
  }
  const field = (name: string, value: unknown): unknown => {
    if (name in fixed) return fixed[name]
    if (!counted.test(name)) return readable(value)
    if (typeof value === 'string' && /^\d+$/.test(value)) return nth(value)
    return name === 'messageId' && typeof value === 'number'
      ? Number(nth(`${value}`))
      : readable(value)
  }
  const readable = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value)
    if (typeof value === 'number') return number(value)
    if (Array.isArray(value)) return value.map(readable)
    if (typeof value !== 'object' || value === null) return value
    const fields = Object.entries(value)
    return Object.fromEntries(fields.map(([name, one]) => [text(name), field(name, one)]))
  }
  return readable
}
