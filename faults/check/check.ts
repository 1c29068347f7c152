import type { Device, History, Observed } from './observed.ts'

export interface Finding {
  readonly rule: string
  readonly text: string
}

interface Rule {
  readonly name: string
  readonly find: (observed: Observed) => Iterable<string>
}

/** Each is shown to find its own damage in check.pure.test.ts. */
export const rules: readonly Rule[] = [
  { name: 'lost', find: lost },
  { name: 'doubled', find: doubled },
  { name: 'another id', find: otherId },
  { name: 'sent by nobody', find: strangers },
  { name: 'order', find: order },
  { name: 'readers differ', find: differing },
  { name: 'device incomplete', find: incompleteDevices },
  { name: 'device order', find: deviceOrder },
  { name: 'unread', find: unread },
  { name: 'feed incomplete', find: incompleteFeed },
  { name: 'webhooks incomplete', find: incompleteWebhooks },
  { name: 'statistics', find: statistics },
  { name: 'search', find: search },
]

export function check(observed: Observed): Finding[] {
  return rules.flatMap(({ name, find }) =>
    [...find(observed)].map((text) => ({ rule: name, text })),
  )
}

/** Of each conversation what the first reader saw. */
function shown({ histories }: Pick<Observed, 'histories'>): Map<string, History> {
  const first = new Map<string, History>()
  for (const history of histories) {
    if (!first.has(history.conversation)) first.set(history.conversation, history)
  }
  return first
}

function placesOf(observed: Observed): Map<string, { conversation: string; id: number }[]> {
  const places = new Map<string, { conversation: string; id: number }[]>()
  for (const { conversation, messages } of shown(observed).values()) {
    for (const { id, muid } of messages) {
      const known = places.get(muid)
      if (known) known.push({ conversation, id })
      else places.set(muid, [{ conversation, id }])
    }
  }
  return places
}

function* lost(observed: Observed) {
  const places = placesOf(observed)
  for (const [muid, { conversation, id }] of observed.acknowledged) {
    const found = places.get(muid)?.some((place) => place.conversation === conversation)
    if (!found) yield `${muid}, acknowledged as ${id}, is not in ${conversation}`
  }
}

function* doubled(observed: Observed) {
  for (const [muid, places] of placesOf(observed)) {
    if (places.length > 1) yield `${muid} is stored as ${places.map(({ id }) => id).join(', ')}`
  }
}

function* otherId(observed: Observed) {
  const places = placesOf(observed)
  for (const [muid, { id }] of observed.acknowledged) {
    const found = places.get(muid)
    if (found && !found.some((place) => place.id === id)) {
      yield `${muid} was acknowledged as ${id} and is stored as ${found[0]?.id}`
    }
  }
}

function* strangers(observed: Observed) {
  for (const muid of placesOf(observed).keys()) {
    if (!observed.attempted.has(muid)) yield `${muid} is stored, and nobody sent it`
  }
}

function* order(observed: Observed) {
  for (const { conversation, messages } of shown(observed).values()) {
    for (const [nth, { id }] of messages.entries()) {
      const before = messages[nth - 1]
      if (before && before.id >= id) yield `${conversation}: ${id} comes after ${before.id}`
    }
  }
}

function* differing({ histories }: Observed) {
  const first = shown({ histories })
  for (const { conversation, reader, messages } of histories) {
    const other = first.get(conversation)
    if (!other || other.reader === reader) continue
    const same =
      messages.length === other.messages.length &&
      messages.every(({ id }, nth) => id === other.messages[nth]?.id)
    if (!same) yield `${conversation}: ${reader} and ${other.reader} are shown different lists`
  }
}

function* incompleteDevices(observed: Observed) {
  const histories = shown(observed)
  for (const { name, conversation, received, reloaded } of observed.devices) {
    if (reloaded) continue
    const has = new Set(received.map(({ id }) => id))
    const missing = (histories.get(conversation)?.messages ?? []).filter(({ id }) => !has.has(id))
    const [first] = missing
    if (first) yield `${name} misses ${missing.length} of ${conversation}, the first is ${first.id}`
  }
}

function* deviceOrder({ devices }: Pick<Observed, 'devices'>) {
  for (const device of devices) yield* holesOf(device)
}

function* holesOf({ name, conversation, received, reloaded }: Device) {
  for (const [nth, { seq, id }] of received.entries()) {
    const before = received[nth - 1]
    if (!before) continue
    const follows = reloaded ? seq > before.seq : seq === before.seq + 1
    if (!follows) yield `${name}, ${conversation}: seq ${seq} (${id}) comes after ${before.seq}`
  }
}

function* unread({ unread: counts }: Observed) {
  for (const { user, conversation, shown: told, counted } of counts) {
    if (told !== counted) yield `${user}, ${conversation}: ${told} shown, ${counted} counted`
  }
}

function* incompleteFeed(observed: Observed) {
  yield* missingFrom(new Set(observed.feed), observed.inFeed, observed, 'the feed')
}

function* incompleteWebhooks(observed: Observed) {
  const told = new Set(observed.webhooks.map(({ id }) => id))
  yield* missingFrom(told, observed.withWebhooks, observed, 'webhooks')
}

function* missingFrom(
  told: ReadonlySet<number>,
  conversations: readonly string[],
  observed: Observed,
  where: string,
) {
  const histories = shown(observed)
  for (const conversation of conversations) {
    const all = histories.get(conversation)?.messages ?? []
    const missing = all.filter(({ id }) => !told.has(id))
    const [first] = missing
    if (first) yield `${where} miss ${missing.length} of ${conversation}, the first is ${first.id}`
  }
}

function* statistics({ statistics: apps }: Observed) {
  for (const { app, shown: told, stored } of apps) {
    if (told !== stored) yield `${app}: ${told} messages counted, ${stored} stored`
  }
}

function* search({ searched }: Observed) {
  for (const { id, found } of searched) if (!found) yield `${id} is not found by its words`
}
