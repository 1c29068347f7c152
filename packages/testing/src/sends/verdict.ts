/** A message that its sender was told is stored, in the order of these answers. */
export interface Acknowledged {
  /** The public id of the conversation. */
  readonly conversation: string
  readonly sender: string
  readonly muid: string
  /** The id in every answer: of the first send, its retries and its repeats. */
  readonly ids: readonly number[]
}

export interface Logged {
  readonly seq: number
  readonly id: number
  readonly sender: string
  /** `action`: what happened to a member, which nobody sent. */
  readonly category: string
  readonly muid: string | null
}

/** By the public id of the conversation. */
export type Logs = ReadonlyMap<string, readonly Logged[]>

/** A whole conversation, as it was shown to one of its readers: listed, or heard by a device. */
export interface View {
  readonly conversation: string
  readonly reader: string
  readonly ids: readonly number[]
}

/** What breaks "once" and "one order"; empty: nothing does. */
export function faultsIn(
  acknowledged: readonly Acknowledged[],
  logs: Logs,
  views: readonly View[],
): string[] {
  return [
    ...[...logs].flatMap(([conversation, log]) => disorder(conversation, log)),
    ...miscounted(acknowledged, logs),
    ...overtaken(acknowledged),
    ...views.flatMap((view) => misseen(view, logs)),
  ]
}

/** Seq is dense, and id grows with it. */
function disorder(conversation: string, log: readonly Logged[]): string[] {
  return log.flatMap(({ seq, id }, place) => [
    ...(seq === place + 1 ? [] : [`${conversation}: seq ${seq} is at place ${place + 1}`]),
    ...(id > (log[place - 1]?.id ?? 0) ? [] : [`${conversation}: id ${id} does not grow`]),
  ])
}

/** Whatever was acknowledged is stored once, under the id of every answer; and nothing else is. */
function miscounted(acknowledged: readonly Acknowledged[], logs: Logs): string[] {
  const stored = new Map<string, number[]>()
  for (const [conversation, log] of logs) {
    for (const { sender, category, muid, id } of log) {
      if (category === 'action') continue
      const name = nameOf({ conversation, sender, muid: muid ?? 'without muid' })
      stored.set(name, [...(stored.get(name) ?? []), id])
    }
  }
  const told = new Set(acknowledged.map(nameOf))
  return [
    ...acknowledged.flatMap((one) => {
      const ids = stored.get(nameOf(one)) ?? []
      const answers = [...new Set(one.ids)]
      return ids.join() === answers.join() && ids.length === 1
        ? []
        : [`${nameOf(one)}: answered ${answers.join(', ')}, stored as ${ids.join(', ') || 'none'}`]
    }),
    ...[...stored.keys()].filter((name) => !told.has(name)).map((name) => `${name}: nobody knows`),
  ]
}

/** Who waits for each answer finds their messages in the order in which they sent them. */
function overtaken(acknowledged: readonly Acknowledged[]): string[] {
  const last = new Map<string, number>()
  return acknowledged.flatMap((one) => {
    const { conversation, sender, ids } = one
    const line = `${conversation} ${sender}`
    const before = last.get(line) ?? 0
    const id = ids[0] ?? 0
    last.set(line, id)
    return id > before ? [] : [`${nameOf(one)}: ${id} was sent after ${before}`]
  })
}

/** Where a reader was shown something else than the log; whether that is in order is seen above. */
function misseen({ conversation, reader, ids }: View, logs: Logs): string[] {
  const log = new Set((logs.get(conversation) ?? []).map(({ id }) => id))
  const seen = new Set(ids)
  const counts = {
    missed: log.difference(seen).size,
    'out of order': ids.filter((id, place) => id < (ids[place - 1] ?? 0)).length,
    twice: ids.length - seen.size,
    unknown: seen.difference(log).size,
  }
  return Object.entries(counts).flatMap(([what, count]) =>
    count === 0 ? [] : [`${conversation}: of what ${reader} saw, ${count} ${what}`],
  )
}

function nameOf({ conversation, sender, muid }: Omit<Acknowledged, 'ids'>): string {
  return `${conversation} ${sender} ${muid}`
}
