import { v5 as nameBased } from 'uuid'
import type { AppDb, InstallDb } from '../../database/app-db.ts'
import type { PushOutcome } from '../../push/outcome.ts'
import type { Vault } from '../../vault/vault.ts'
import { type House, houseOf } from './house.ts'
import { findLetterCarriers, type LetterCarrier } from './letters.sql.ts'
import { type LetterLines, sendLetter } from './letters-calls.ts'
import { contentsOf, type LetterContents } from './letters-contents.ts'
import {
  claimLetters,
  countLetters,
  type LetterJob,
  type LetterResult,
  recordLetter,
} from './letters-queue.sql.ts'

export interface LetterErrandParts {
  readonly database: InstallDb
  readonly vault: Vault
  readonly lines: LetterLines
  readonly clockMs: () => number
  readonly timeoutMs: number
}

/** For so long a letter is tried. */
const worthwhileMs = 3_600_000
const longestPauseMs = 300_000
const dayMs = 86_400_000
/** Names the letters of this service; any other would do. */
const namespace = '0b2f0d0e-6a53-4d0c-9d7f-5a4c1f6a2f83'

/** Letters that have waited long enough, each to one user about one conversation. */
export function letterErrands({ database, vault, lines, clockMs, timeoutMs }: LetterErrandParts) {
  const { db } = database

  async function attempt(job: LetterJob): Promise<LetterResult> {
    const nowMs = clockMs()
    const here: AppDb = { appId: job.appId, db }
    const withheld = (reason: string): LetterResult => ({
      status: 'withheld',
      nextAtMs: nowMs,
      reason,
    })
    const house = await houseOf(here)
    const contents = await contentsOf(here, job, house, nowMs)
    if (typeof contents === 'string') return withheld(contents)
    const limits = house.settings.preferences[job.channel]
    const { all, here: ofThese } = await countLetters(db, job, nowMs - dayMs)
    if (all >= limits.maxPerDay || ofThese >= limits.maxPerDayPerConversation) {
      return withheld('QUOTA_PREFERENCE')
    }
    const carriers = await findLetterCarriers(here)
    const carrier = carriers.find(({ channel }) => channel === job.channel)
    if (!carrier) return withheld('NO_PROVIDER')
    const address = addressOf(job, carrier)
    if (address === undefined) {
      return withheld(job.channel === 'email' ? 'MISSING_EMAIL' : 'MISSING_PHNO')
    }
    const data = dataOf(job, contents, address)
    const { region } = house
    const letter = { job, contents, data, id: idOf(job), address, region, timeoutMs }
    const outcome = await sendLetter(lines, { db: here, vault }, carrier, letter)
    const result = resultOf(job, carrier, outcome, clockMs())
    return { ...result, provider: carrier.kind, ...logOf(house, job, contents, address, outcome) }
  }

  return {
    name: 'letters',
    claim: (most: number) => claimLetters(db, clockMs(), leaseMs(timeoutMs), most),
    async carryOut(job: LetterJob): Promise<string> {
      const result = await attempt(job)
      await recordLetter(db, job, result, clockMs())
      return result.status
    },
    // What is old goes with the pushes.
    async tidy(): Promise<void> {},
  }
}

/** A mail server may take its time at every step of a conversation. */
function leaseMs(timeoutMs: number): number {
  return 6 * timeoutMs
}

function idOf({ appId, deliveryId }: LetterJob): string {
  return nameBased(`${appId} ${deliveryId}`, namespace)
}

/** Empty: nobody needs it. Undefined: it is missing. */
function addressOf({ channel, email, phno }: LetterJob, { needsContact }: LetterCarrier) {
  if (!needsContact) return ''
  return (channel === 'email' ? email : phno) ?? undefined
}

function dataOf({ channel, uid, name }: LetterJob, contents: LetterContents, address: string) {
  const { headline, messages, from } = contents
  const reached = address !== '' && { [channel === 'email' ? 'email' : 'phno']: address }
  return {
    to: { uid, ...reached, name },
    messages,
    ...from,
    [channel === 'email' ? 'subject' : 'smsContent']: headline,
  }
}

/** Nobody reads the same message twice: its object stays out of the log. */
function logOf(
  { logEnabledAt }: House,
  job: LetterJob,
  contents: LetterContents,
  address: string,
  response: PushOutcome,
) {
  if (logEnabledAt === null) return {}
  const messages = contents.messages.map(({ sender, message }) => ({ sender, message }))
  return { payload: dataOf(job, { ...contents, messages }, address), response }
}

function resultOf(
  { attempt, startedAtMs }: LetterJob,
  { kind }: LetterCarrier,
  outcome: PushOutcome,
  nowMs: number,
): LetterResult {
  if (outcome.is === 'accepted') return { status: 'sent', nextAtMs: nowMs }
  const { reason } = outcome
  const failed = { status: 'failed', nextAtMs: nowMs } as const
  if (outcome.is !== 'later') {
    return { ...failed, reason: kind === 'twilio' ? 'TWILIO_CREATE_ERROR' : reason }
  }
  const pauseMs = Math.min(1000 * 2 ** (attempt - 1), longestPauseMs) * (0.5 + Math.random())
  const nextAtMs = Math.ceil(nowMs + Math.max(pauseMs, outcome.retryAfterMs ?? 0))
  const inTime = nextAtMs < startedAtMs + worthwhileMs
  return inTime ? { status: 'waiting', nextAtMs, reason } : { ...failed, reason: 'TIMED_OUT' }
}
