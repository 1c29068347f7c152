import { setTimeout as after } from 'node:timers/promises'
import type { AppDb } from '../../../database/app-db.ts'
import { conversationIdOf } from '../../users/index.ts'
import { groupConversationId } from '../../views/index.ts'
import type { Finding, RuleSet } from '../engine/rule-set.ts'
import { type Parties, passes } from '../filters.ts'
import { subjectsOf } from '../subjects.ts'
import type { DryRunJob, Range } from './dry-run-jobs.sql.ts'
import {
  findScenes,
  newestIdOf,
  type Scene,
  sentAtFrom,
  type Walk,
  type WalkedEntry,
  walkEntries,
} from './dry-run-walk.sql.ts'
import type { NewMatch } from './dry-runs.sql.ts'

/** After which the place is recorded: as much as a killed worker loses. */
const rangeMs = 500
const perBatch = 500
/** Works for so long, then leaves as much to others: nobody in this process waits longer for it. */
const turnMs = 1
/** Of those that the first rule has caught alone, the second alone, both. */
const maxMatches = 500
/** By how much the clocks of senders may differ. */
const clockSeconds = 60

interface Caught {
  readonly id: number
  readonly findings: readonly Finding[]
}

/** Goes on where the last range came to, from newer entries to older ones. */
export async function walkRange(db: AppDb, job: DryRunJob, set: RuleSet): Promise<Range> {
  const { firstId, lastId } = await boundsOf(db, job)
  const tally = openTally(job)
  const end = performance.now() + rangeMs
  let reachedId = job.reachedId ?? lastId + 1
  const way = { since: job.since, from: firstId, below: reachedId, textsOnly: looksAtTexts(job) }
  let isDone = true
  for await (const entries of batches(db, { ...way, most: perBatch })) {
    const said = entries.filter(({ isSaid }) => isSaid)
    const caught = await examine(set, said)
    const scenes = await findScenes(
      db,
      caught.map(({ id }) => id),
    )
    for (const one of caught) tally.add(matchOf(one, scenes.get(one.id)))
    tally.scanned += said.length
    reachedId = entries.at(-1)?.id ?? firstId
    isDone = entries.length < perBatch
    if (performance.now() > end) break
  }
  return { ...tally.sums(), firstId, lastId, reachedId, isDone }
}

/** While one is worked on, PostgreSQL looks for the next. */
async function* batches(db: AppDb, walk: Walk): AsyncGenerator<WalkedEntry[]> {
  const from = (below: number) => {
    const batch = walkEntries(db, { ...walk, below })
    // Whoever asks for it hears of it; perhaps nobody does.
    batch.catch(() => undefined)
    return batch
  }
  let next = from(walk.below)
  for (;;) {
    const entries = await next
    const last = entries.length === walk.most ? entries.at(-1) : undefined
    if (last) next = from(last.id)
    yield entries
    if (!last) return
  }
}

function looksAtTexts({ rules }: DryRunJob): boolean {
  const conditions = rules.flatMap((rule) => rule?.conditions ?? [])
  return conditions.every(({ operand }) => operand === 'text' || operand === 'link')
}

/** Ids from here to there. They grow with time, so the first is found by halving. */
async function boundsOf(db: AppDb, { firstId, lastId, since }: DryRunJob) {
  if (firstId !== null && lastId !== null) return { firstId, lastId }
  const newest = (await newestIdOf(db)) ?? 0
  let [low, high] = [0, newest]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const sentAt = await sentAtFrom(db, middle)
    if (sentAt !== undefined && sentAt < since - clockSeconds) low = middle + 1
    else high = middle
  }
  return { firstId: low, lastId: newest }
}

async function examine(set: RuleSet, entries: readonly WalkedEntry[]): Promise<Caught[]> {
  const caught: Caught[] = []
  let turn = performance.now()
  for (const { id, spoken } of entries) {
    const findings = set.examine(subjectsOf(spoken) ?? {})
    if (findings.length > 0) caught.push({ id, findings })
    if (performance.now() - turn < turnMs) continue
    await after(turnMs)
    turn = performance.now()
  }
  return caught
}

/** Undefined: filters let it pass, or its conversation is gone. */
function matchOf({ id, findings }: Caught, scene: Scene | undefined): NewMatch | undefined {
  if (!scene) return undefined
  const standing = findings.filter(({ rule }) => passes(rule.filters, scene))
  const [first] = standing
  if (!first) return undefined
  return {
    messageId: id,
    conversationId: labelOf(scene),
    sender: scene.sender.id,
    sentAt: scene.sentAt,
    caughtBy: standing.length > 1 ? 'both' : nameOf(first),
    findings: standing.map((finding) => ({
      rule: nameOf(finding),
      conditions: finding.conditions.map(({ condition, spans }) => ({
        id: condition.id,
        spans: [...spans],
      })),
    })),
  }
}

function nameOf({ rule }: Finding): 'a' | 'b' {
  return rule.id === 'b' ? 'b' : 'a'
}

function labelOf({ sender, receiver }: Parties): string {
  return receiver.entity === 'group'
    ? groupConversationId(receiver.id)
    : conversationIdOf(sender.id, receiver.id)
}

/** Counts all, and keeps the newest of each kind. */
function openTally(before: DryRunJob) {
  const counts = { a: 0, b: 0, both: 0 }
  const known = { a: before.onlyA, b: before.onlyB, both: before.both }
  const matches: NewMatch[] = []
  return {
    scanned: 0,
    add(match: NewMatch | undefined) {
      if (!match) return
      if (known[match.caughtBy] + counts[match.caughtBy] < maxMatches) matches.push(match)
      counts[match.caughtBy]++
    },
    sums() {
      return { scanned: this.scanned, onlyA: counts.a, onlyB: counts.b, both: counts.both, matches }
    },
  }
}
