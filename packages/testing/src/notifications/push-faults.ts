import { sql } from 'kysely'
import { expect } from 'vitest'
import { startMortalServer } from '../processes/mortal-server.ts'
import type { Fault } from '../providers/provider.ts'
import type { Screens } from '../providers/screens.ts'
import { type Random, seeded } from '../seeded.ts'
import { type PushFixture, startPushFixture } from './push-fixture.ts'

const people = Array.from({ length: 10 }, (_, n) => `user-${n}`)
const sendsAtOnce = 10
const faultShare = 0.1
const wait = { timeout: 900_000, interval: 50 }

export interface FaultyRun {
  readonly seed: string
  readonly messages: number
  readonly kills: number
  /** One push is lost and another shown twice, to see that it is noticed. */
  readonly sabotaged?: boolean
}

interface Phone {
  readonly uid: string
  readonly token: string
  readonly screens: Screens
}

/** A worker that is killed between faulty providers, and what is on all screens in the end. */
export async function survivePushFaults({ seed, messages, kills, sabotaged = false }: FaultyRun) {
  await using fixture = await startPushFixture({ timeoutMs: 2000 })
  const { google, apple } = fixture
  const phones = await openPhones(fixture)
  const random = seeded(seed)
  const faults = new Map<string, number>()
  for (const provider of [google, apple]) {
    provider.server.failNowAndThen(() => drawFault(random, provider, faults))
  }
  if (sabotaged) apple.server.fail('/3/device', { status: 200 })
  await using worker = await startMortalServer(fixture.settings, '--parts', 'worker')
  const pairs = messages * 2
  const sending = sendAll(fixture, messages)
  const shown = () => phones.flatMap(({ token, screens }) => screens.on(token))
  for (let kill = 1; kill <= kills; kill++) {
    const enough = (pairs * kill) / (kills + 1)
    await expect.poll(() => shown().length, wait).toBeGreaterThan(enough)
    await worker.kill()
    await worker.start()
  }
  await sending
  await expect.poll(() => deliveriesIn(fixture), wait).toEqual({ sent: pairs })
  if (sabotaged) google.screens.show(phones[0]?.token ?? '', 'other', shown()[0]?.payload)
  const mistakes = phones.flatMap((phone) =>
    mistakesOn(
      fixture.shown(phone.token).map(({ body }) => body),
      textsFor(phone.uid, messages),
    ),
  )
  const again = shown().filter(({ count }) => count > 1).length
  const drawn = [...faults].map(([name, times]) => `${times} ${name}`).join(', ')
  const says = `pushes, seed ${seed}: ${pairs} shown once, ${again} of them accepted again; ${drawn}`
  return { mistakes, says }
}

async function openPhones({ app, google, apple, useGoogle, android, iphone }: PushFixture) {
  await app.given.users('ann', ...people)
  await useGoogle('google')
  const phones: Phone[] = []
  for (const uid of people) {
    phones.push({ uid, token: await android(uid), screens: google.screens })
    phones.push({ uid, token: await iphone(uid), screens: apple.screens })
  }
  return phones
}

const receiverOf = (n: number) => people[n % people.length] ?? ''

function textsFor(uid: string, messages: number): string[] {
  return Array.from({ length: messages }, (_, n) => n)
    .filter((n) => receiverOf(n) === uid)
    .map((n) => `message ${n}`)
}

async function sendAll({ full }: PushFixture, messages: number): Promise<void> {
  let next = 0
  const send = async () => {
    for (let n = next++; n < messages; n = next++) {
      const to = { receiver: receiverOf(n), receiverType: 'user' } as const
      const said = { category: 'message', type: 'text', data: { text: `message ${n}` } } as const
      await full.sendMessage({ onBehalfOf: 'ann', body: { ...to, ...said } })
    }
  }
  await Promise.all(Array.from({ length: sendsAtOnce }, send))
}

/** Connections break more seldom than anything else, because all that is under way goes with them. */
const weights = {
  expired: 2,
  quota: 3,
  broken: 3,
  unavailable: 3,
  silence: 2,
  'silence-behind': 2,
  reset: 1,
  'reset-behind': 1,
  goaway: 1,
  'goaway-error': 1,
}
const faultsByName: Readonly<Record<keyof typeof weights, Fault | undefined>> = {
  expired: undefined,
  quota: { status: 429, headers: { 'retry-after': '1' }, body: { reason: 'TooManyRequests' } },
  broken: { status: 500, body: { reason: 'InternalServerError' } },
  unavailable: { status: 503, body: { reason: 'ServiceUnavailable' } },
  silence: 'silence',
  'silence-behind': 'silence-behind',
  reset: 'reset',
  'reset-behind': 'reset-behind',
  goaway: 'goaway',
  'goaway-error': 'goaway-error',
}

/** Undefined for most, and where the request meets only a token that has expired. */
function drawFault(
  random: Random,
  provider: { expireTokens(): void },
  drawn: Map<string, number>,
): Fault | undefined {
  if (!random.chance(faultShare)) return undefined
  const name = random.weighted(weights)
  drawn.set(name, (drawn.get(name) ?? 0) + 1)
  if (name === 'expired') provider.expireTokens()
  return faultsByName[name]
}

async function deliveriesIn({ app }: PushFixture): Promise<Record<string, number>> {
  const { rows } = await sql<{ status: string; count: number }>`
    select status, count(*) as count from notification_deliveries group by status`.execute(app.db)
  return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]))
}

/** What is not on a screen, or there more than once, or there without reason. */
function mistakesOn(shown: readonly string[], wanted: readonly string[]): string[] {
  const times = Map.groupBy(shown, (text) => text)
  const strange = shown.filter((text) => !wanted.includes(text)).map((text) => `${text}: strange`)
  const wrong = wanted
    .map((text) => ({ text, count: times.get(text)?.length ?? 0 }))
    .filter(({ count }) => count !== 1)
  return [...strange, ...wrong.map(({ text, count }) => `${text}: ${count} times`)]
}
