import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { ConversationKey } from '../../../server/src/domain/log/entries/entries.ts'
import type { NewEntry } from '../../../server/src/domain/log/log.sql.ts'
import {
  insertConversation,
  insertParticipants,
} from '../../../server/src/domain/log/participants/participants.sql.ts'
import { deadlocksIn, disorderIn, logOf, messageOf } from '../data/log-entries.ts'
import type { TestApp } from '../service/test-app.ts'
import type { Outcome } from './append-process.ts'
import { compileCache } from './compile-cache.ts'

const path = fileURLToPath(new URL('./append-process.ts', import.meta.url))

interface AppendProcess extends AsyncDisposable {
  append(entries: readonly NewEntry[]): Promise<Outcome[]>
}

async function startAppendProcess(databaseUrl: string): Promise<AppendProcess> {
  const child = fork(path, [databaseUrl], {
    execArgv: [],
    env: { PATH: process.env.PATH, ...compileCache },
    // Entries without a muid have `undefined`, which JSON would leave out.
    serialization: 'advanced',
  })
  const ended = once(child, 'exit')
  const answer = async () => {
    const [message] = await Promise.race([
      once(child, 'message'),
      ended.then(([code]) => Promise.reject(new Error(`The process ended with ${code}.`))),
    ])
    return message
  }
  await answer()
  return {
    async append(entries) {
      child.send(entries)
      return await answer()
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

export interface Rounds {
  readonly rounds: number
  readonly conversations: number
  /** Entries that there are in the end, in every round. */
  readonly appends: number
  /** How often each of them is sent; more than once: with a muid. */
  readonly copies: number
}

type Place = ConversationKey & { readonly appId: string }

/** Two processes append to the same conversations at the same time, and everything is as promised. */
export async function appendFromTwoProcesses(app: TestApp, wanted: Rounds): Promise<void> {
  const before = await deadlocksIn(app.db)
  {
    await using one = await startAppendProcess(app.databaseUrl)
    await using two = await startAppendProcess(app.databaseUrl)
    for (let round = 0; round < wanted.rounds; round++) await oneRound(app, wanted, [one, two])
  }
  expect(await deadlocksIn(app.db)).toBe(before)
}

async function oneRound(
  { db, appId }: TestApp,
  wanted: Rounds,
  processes: readonly [AppendProcess, AppendProcess],
): Promise<void> {
  const places: Place[] = []
  for (let n = 0; n < wanted.conversations; n++) {
    const made = await insertConversation({ appId, db }, 100)
    await insertParticipants({ appId, db }, made, 'some-group', ['ann', 'bob'])
    places.push({ ...made, appId })
  }
  // Every other copy takes the other process, and there the other way round: batches meet crosswise.
  const shares: [NewEntry[], NewEntry[]] = [[], []]
  for (let copy = 0; copy < wanted.copies; copy++) {
    for (let n = 0; n < wanted.appends; n++) {
      shares[(n + copy) % 2 === 0 ? 0 : 1].push(entryOf(places, n, wanted.copies > 1))
    }
  }
  shares[1].reverse()
  const [first, second] = await Promise.all([
    processes[0].append(shares[0]),
    processes[1].append(shares[1]),
  ])
  const sent = [...shares[0], ...shares[1]]
  const outcomes = [...first, ...second]
  expect(outcomes.filter((outcome) => 'error' in outcome)).toEqual([])
  await checkPlaces(db, places, wanted)
  checkOnce(sent, outcomes, wanted)
}

function entryOf(places: readonly Place[], n: number, withMuid: boolean): NewEntry {
  const place = places[n % places.length]
  if (!place) throw new Error('There is no conversation.')
  const sender = n % 3 === 0 ? 'ann' : 'bob'
  return messageOf(place, sender, {
    data: JSON.stringify({ n }),
    ...(withMuid && { muid: `muid-${n}` }),
  })
}

/** Dense, growing, no entry missing or doubled; heads and own-counts say the same. */
async function checkPlaces(
  db: TestApp['db'],
  places: readonly Place[],
  wanted: Rounds,
): Promise<void> {
  const numbers: number[] = []
  for (const place of places) {
    const log = await logOf(db, place)
    expect(disorderIn(log, place.bucket)).toEqual([])
    numbers.push(...log.map(({ data }) => Number(data.n)))
    const { rows } = await sql<{ head: number; counted: number; own: number }>`
      select c.head, c.counted, (select sum(p.own)::bigint from participants p
        where p.bucket = c.bucket and p.conversation_key = c.conversation_key) as own
      from conversations c
      where c.bucket = ${place.bucket} and c.conversation_key = ${place.key}`.execute(db)
    expect(rows).toEqual([{ head: log.length, counted: log.length, own: log.length }])
  }
  expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: wanted.appends }, (_, n) => n))
}

/** Every caller of the same entry got the same id, and exactly one of them was the first. */
function checkOnce(sent: readonly NewEntry[], outcomes: readonly Outcome[], wanted: Rounds): void {
  const answers = new Map<string, { ids: Set<number>; firsts: number; callers: number }>()
  for (const [place, outcome] of outcomes.entries()) {
    if ('error' in outcome) continue
    const name = sent[place]?.data ?? ''
    const known = answers.get(name) ?? { ids: new Set(), firsts: 0, callers: 0 }
    known.ids.add(outcome.id)
    known.callers++
    if (!outcome.repeated) known.firsts++
    answers.set(name, known)
  }
  expect(answers.size).toBe(wanted.appends)
  const wrong = [...answers].filter(
    ([, { ids, firsts, callers }]) => ids.size !== 1 || firsts !== 1 || callers !== wanted.copies,
  )
  expect(wrong).toEqual([])
  expect(new Set([...answers.values()].flatMap(({ ids }) => [...ids])).size).toBe(wanted.appends)
}
