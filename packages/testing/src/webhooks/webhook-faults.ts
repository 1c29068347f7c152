import { setTimeout as after } from 'node:timers/promises'
import type { Api } from '@chorale/contract/api'
import type { Client } from '@chorale/contract/operation'
import { expect } from 'vitest'
import { answer, type Behaviour, openReceiver } from '../network/receiver.ts'
import { startMortalServer } from '../processes/mortal-server.ts'
import { type Hook, startWebhookFixture, type WebhookFixture } from './webhook-fixture.ts'

const wait = { timeout: 300_000, interval: 50 }

interface Tenant {
  readonly hook: Hook
  say(to: string, text: string): Promise<void>
}

async function openTenant(
  fixture: WebhookFixture,
  id: string,
  more: Parameters<WebhookFixture['hook']>[2] = {},
): Promise<Tenant> {
  const of = await fixture.app.anotherApp()
  const client = fixture.app.client(of, 'full')
  for (const uid of ['ann', 'bob', 'cid', 'dan'])
    await client.createUser({ body: { uid, name: uid } })
  const hook = await fixture.hook(id, ['message_sent'], { of, ...more })
  return { hook, say: (to, text) => say(client, to, text) }
}

async function say(client: Client<Api>, receiver: string, text: string): Promise<void> {
  const to = { receiver, receiverType: 'user', category: 'message', type: 'text' } as const
  await client.sendMessage({ onBehalfOf: 'ann', body: { ...to, data: { text } } })
}

const textOf = ({ body }: { body: { data: { message: { data: { text: string } } } } }) =>
  body.data.message.data.text
const textsOf = ({ hook }: Tenant) => hook.receiver.received.map(textOf)

/** Never ends, unless the other side has had enough. */
const flood: Behaviour = (response) => {
  const megabyte = Buffer.alloc(1_000_000, 'x')
  let left = 1000
  const more = () => {
    while (left-- > 0) if (!response.write(megabyte)) return void response.once('drain', more)
    response.end()
  }
  response.writeHead(200)
  more()
}

const silence: Behaviour = () => undefined

/** The p99 of what good tenants wait for, with bad ones silent and with bad ones busy, in turns. */
export async function measureNeighbours(rounds: number, messages: number) {
  await using fixture = await startWebhookFixture()
  const inside = await openReceiver()
  const Location = inside.url.replace('127.0.0.1', '10.0.0.1')
  const behaviours: Behaviour[] = [
    silence,
    answer(500),
    flood,
    (response) => response.writeHead(307, { Location }).end(),
  ]
  const bad: Tenant[] = []
  for (const [n, behave] of behaviours.entries()) {
    bad.push(await openTenant(fixture, `bad${n}`, { behave, retryOnFailure: true }))
  }
  const good: Tenant[] = []
  for (let n = 0; n < 4; n++) good.push(await openTenant(fixture, `good${n}`))
  await waitsOf(good, 'warm', messages)
  const waits = { alone: [] as number[], beside: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    for (const how of ['alone', 'beside'] as const) {
      const label = `${how} ${round}`
      await switchAll(fixture, bad, how === 'beside')
      if (how === 'beside') await burden(bad, label)
      waits[how].push(...(await waitsOf(good, label, messages)))
    }
  }
  await inside[Symbol.asyncDispose]()
  expect(inside.received).toEqual([])
  return { alone: p99(waits.alone), beside: p99(waits.beside), delivered: waits.beside.length }
}

/** From the call that sends a message to the webhook that hears of it, in milliseconds. */
async function waitsOf(
  good: readonly Tenant[],
  label: string,
  messages: number,
): Promise<number[]> {
  const sentAt = new Map<string, number>()
  for (let n = 0; n < messages; n++) {
    for (const [place, tenant] of good.entries()) {
      const text = `${label} ${place} ${n}`
      sentAt.set(text, performance.now())
      await tenant.say(['bob', 'cid', 'dan'][n % 3] ?? '', text)
    }
  }
  const heard = () =>
    good.flatMap(({ hook }) => hook.receiver.received.filter((one) => sentAt.has(textOf(one))))
  await expect.poll(() => heard().length, wait).toBe(sentAt.size)
  return heard().map((one) => one.atMs - (sentAt.get(textOf(one)) ?? 0))
}

async function switchAll(
  { app }: WebhookFixture,
  tenants: readonly Tenant[],
  enabled: boolean,
): Promise<void> {
  const headers = { 'X-Webhook-Version': 2 }
  for (const { hook } of tenants) {
    await app.as('full').updateWebhook({ params: hook.params, headers, body: { enabled } })
  }
}

async function burden(tenants: readonly Tenant[], text: string): Promise<void> {
  for (const { say } of tenants) {
    for (let n = 0; n < 7; n++) for (const to of ['bob', 'cid', 'dan']) await say(to, text)
  }
}

function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0
}

/** A receiver that is gone for a while: everything arrives, each conversation in its order. */
export async function surviveAbsence(retryMs: number, absentMs: number, messages: number) {
  await using fixture = await startWebhookFixture({
    WEBHOOK_RETRY_MS: String(retryMs),
    EGRESS_BREAKER_REST_MS: String(retryMs * 3),
  })
  const tenant = await openTenant(fixture, 'away', { retryOnFailure: true, retryHours: 24 })
  const { receiver } = tenant.hook
  await tenant.say('bob', 'bob before')
  await expect.poll(() => textsOf(tenant), wait).toEqual(['bob before'])
  await receiver[Symbol.asyncDispose]()
  const people = ['bob', 'cid', 'dan']
  const sent = people.map((to) => Array.from({ length: messages }, (_, n) => `${to} ${n}`))
  for (let n = 0; n < messages; n++) {
    for (const to of people) await tenant.say(to, `${to} ${n}`)
    await after(absentMs / messages)
  }
  await using back = await openReceiver(answer(200), Number(new URL(receiver.url).port))
  await expect.poll(() => back.received.length, wait).toBe(messages * people.length)
  const heard = back.received.map(textOf)
  for (const [place, to] of people.entries()) {
    expect(heard.filter((text) => text.startsWith(to))).toEqual(sent[place])
  }
}

/** Workers that are killed in the middle: nothing is lost, and no conversation goes backwards. */
export async function surviveKills(kills: number, messages: number) {
  await using fixture = await startWebhookFixture({}, { worker: 'elsewhere' })
  let answers = true
  const behave: Behaviour = (response) => void setTimeout(() => answers && response.end(), 20)
  const tenant = await openTenant(fixture, 'steady', { behave })
  await using worker = await startMortalServer(fixture.settings, '--parts', 'worker')
  const people = ['bob', 'cid', 'dan']
  const { received } = tenant.hook.receiver
  let said = 0
  const sayToAll = async () => {
    for (const to of people) await tenant.say(to, `${to} ${said}`)
    said++
  }
  for (let kill = 0; kill < kills; kill++) {
    for (let n = 1; n < messages; n++) await sayToAll()
    // Whatever is delivered from now on is in hand when the worker dies.
    answers = false
    const before = received.length
    await sayToAll()
    await expect.poll(() => received.length, wait).toBeGreaterThan(before)
    await worker.kill()
    answers = true
    await worker.start()
  }
  const heard = () => new Set(textsOf(tenant))
  await expect.poll(() => heard().size, wait).toBe(said * people.length)
  for (const to of people) {
    const firsts = [...heard()].filter((text) => text.startsWith(to))
    expect(firsts).toEqual(Array.from({ length: said }, (_, n) => `${to} ${n}`))
  }
  return { delivered: heard().size, twice: textsOf(tenant).length - heard().size }
}
