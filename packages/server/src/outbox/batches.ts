import type { Append, AppendedEntry, RecordedEvent } from './committed.ts'

/** One message of the stream: events of one app and one partition. */
export interface Batch {
  /** `{appId}.{partition}.{noun}` */
  readonly subject: string
  /** The stream drops a second message with the same id. */
  readonly id: string
  /** `{ appId, events: [{ id, name, at, payload }] }` */
  readonly body: string
}

/**
 * The stream is cut into partitions, each of which is handled in order. A conversation has one, by its
 * bucket; what is about no conversation goes by its app. There are few, because a batch of a batcher
 * becomes a batch for each.
 */
export const partitions = 4

/** NATS takes a million bytes; a character of JSON text has three at most. */
const maxCharacters = 300_000
/** Larger data stay at home: listeners read the log. */
export const maxDataCharacters = 65_536

export function batchOf({ id, appId, name, at, payload, trace }: RecordedEvent): Batch {
  const noun = name.split('.', 1)[0]
  const event = JSON.stringify({ id, name, at, trace, payload })
  return {
    subject: `${appId}.${partitionOf(appId, payload)}.${noun}`,
    id,
    body: body(appId, [event]),
  }
}

/** The same batches whoever makes them, from memory or from the tables. */
export function batchesOf({ entries }: Append): Batch[] {
  const open = new Map<string, OpenBatch>()
  const full: OpenBatch[] = []
  for (const entry of entries) {
    const subject = `${entry.appId}.${entry.bucket % partitions}.entry`
    const text = eventText(entry)
    let batch = open.get(subject)
    if (!batch || batch.characters + text.length > maxCharacters) {
      if (batch) full.push(batch)
      batch = { subject, first: entry, events: [], characters: 0 }
      open.set(subject, batch)
    }
    batch.events.push(text)
    batch.characters += text.length
  }
  return [...full, ...open.values()].map(({ subject, first, events }) => ({
    subject,
    // An app id is unique over all installs, should two of them share a stream by mistake.
    id: `${first.appId}-${entryEventId(first)}-${events.length}`,
    body: body(first.appId, events),
  }))
}

interface OpenBatch {
  readonly subject: string
  readonly first: AppendedEntry
  readonly events: string[]
  characters: number
}

/** Names the event of an entry for ever, also outside: no id of an entry is used again. */
function entryEventId({ id }: AppendedEntry): string {
  return `message-${id}`
}

function partitionOf(appId: string, payload: object): number {
  if ('bucket' in payload) return Number(payload.bucket) % partitions
  let sum = 0
  for (let place = 0; place < appId.length; place++) sum += appId.charCodeAt(place)
  return sum % partitions
}

function body(appId: string, events: readonly string[]): string {
  return `{"appId":${JSON.stringify(appId)},"events":[${events.join(',')}]}`
}

/** Put together by hand: data and extras are JSON text already, and this is the path of a send. */
function eventText(entry: AppendedEntry): string {
  const { bucket, key, seq, id, at, sender, category, type } = entry
  const { muid = null, parentSeq = null, data, extra = null, verdict = null } = entry
  const small = data !== null && data.length + (extra?.length ?? 0) <= maxDataCharacters
  return (
    `{"id":"${entryEventId(entry)}","name":"${entry.imported ? 'entry.imported' : 'entry.appended'}","at":${at},` +
    (entry.trace ? `"trace":"${entry.trace}",` : '') +
    `"payload":{` +
    `"bucket":${bucket},"key":${key},"seq":${seq},"id":${id},"sender":${JSON.stringify(sender)},` +
    `"category":${JSON.stringify(category)},"type":${JSON.stringify(type)}` +
    (muid === null ? '' : `,"muid":${JSON.stringify(muid)}`) +
    (parentSeq === null ? '' : `,"parentSeq":${parentSeq}`) +
    (small ? `,"data":${data}` : '') +
    (small && extra !== null ? `,"extra":${extra}` : '') +
    (verdict === null ? '' : `,"caught":"${caughtBy(verdict)}"`) +
    '}}'
  )
}

function caughtBy(verdict: string): 'withheld' | 'shown' {
  const { withheld }: { withheld?: true } = JSON.parse(verdict)
  return withheld ? 'withheld' : 'shown'
}
