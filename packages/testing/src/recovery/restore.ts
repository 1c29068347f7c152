import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject } from 'vitest'
import { storedBatches } from '../engines/event-streams.ts'
import { cloneDatabase } from '../engines/test-database.ts'
import { openReceiver } from '../network/receiver.ts'
import { send } from '../network/wire.ts'
import {
  chorale,
  choraleJson,
  type Serving,
  type Settings,
  startServing,
} from '../processes/program.ts'
import { connectDevice } from '../service/device.ts'
import { fixtureSettings } from '../service/fixture-settings.ts'

const run = promisify(execFile)
const conversationId = 'ann_user_bob'

/** Of each part of the run. */
interface Load {
  readonly messages: number
  readonly atOnce: number
}

/** `pg_dump` refuses a server that is newer than itself. */
export async function canDump(): Promise<boolean> {
  const { stdout: own } = await run('pg_dump', ['--version'])
  const { stdout: server } = await run('psql', [
    inject('databaseUrl'),
    '-Atc',
    'show server_version',
  ])
  const major = (version: string) => Number(/(\d+)\.?\d*/.exec(version)?.[1])
  return major(own) >= major(server)
}

/**
 * A dump is made under load, and restored after more of it; then there is load again. Every id, of
 * messages, events and calls of webhooks, has named one thing; what devices and readers of events
 * hold is known to be of before. What was acknowledged before the dump is there, and what was
 * delivered to a webhook before it is not delivered again.
 */
export async function restoreUnderLoad(load: Load): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const { url } = stack.use(await cloneDatabase())
  const folder = mkdtempSync(join(tmpdir(), 'chorale-dump-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const dump = join(folder, 'dump')
  const settings: Settings = {
    ...fixtureSettings({}),
    DATABASE_URL: url,
    NATS_URL: inject('natsUrl'),
  }
  const receiver = stack.use(await openReceiver())
  const install = await setUp(settings, receiver.url)
  const first = await startServing(settings)
  await install.open(first)

  const named = new Names()
  const say = async (serving: Serving, part: string, messages: number) => {
    let next = 0
    const one = async () => {
      while (next < messages) {
        const text = `${part} ${next++}`
        named.note('message', await install.say(serving, text), text)
      }
    }
    await Promise.all(Array.from({ length: load.atOnce }, one))
  }
  const told = () => receiver.received.map(({ body }) => body.data.message?.data.text)
  // One after the other, since they are of one conversation.
  const inOrder = { timeout: 90_000 + load.messages * 200, interval: 500 }
  const early = Math.min(load.messages, 90)
  await say(first, 'opening', 1)
  await say(first, 'acknowledged', early)
  await expect.poll(() => acknowledgedIn(told()).length, inOrder).toBe(early)
  await expect.poll(() => waitingDeliveries(url), inOrder).toBe(0)
  const dumping = run('pg_dump', ['-Fc', '-f', dump, url])
  await say(first, 'kept or lost', load.messages)
  await dumping
  await say(first, 'lost', load.messages)
  const cursor = await install.cursor(first)
  const authToken = await install.token(first)
  const before = await connectDevice({ origin: first.origin, appId: install.appId, authToken })
  const positions = (await before.next('welcome')).positions
  await before[Symbol.asyncDispose]()
  first.signal('SIGKILL')
  await first.ended

  await restore(url, dump)
  await using second = await startServing(settings)
  const kept = acknowledgedIn(await install.textsOf(second))
  expect(kept).toHaveLength(early)
  await say(second, 'after', 3 * load.messages)
  const gone = await install.readEvents(second, cursor)
  expect([gone.status, gone.text]).toEqual([410, expect.stringContaining('ERR_EVENTS_GONE')])
  const token = await install.token(second)
  const origin = { origin: second.origin, appId: install.appId }
  await using after = await connectDevice({ ...origin, authToken: token, positions })
  const { position } = await after.next('reload')
  // It is not ahead: only the epoch tells.
  expect(position.seq).toBeGreaterThan(positions[conversationId]?.seq ?? Number.POSITIVE_INFINITY)
  expect(after.of('message')).toEqual([])

  await expect.poll(() => told().includes(`after ${3 * load.messages - 1}`), inOrder).toBe(true)
  // What was recorded as delivered before the backup is not delivered again.
  expect(acknowledgedIn(told())).toHaveLength(early)
  for (const { headers, body } of receiver.received) {
    named.note('webhook', String(headers['webhook-id']), body.data.message.data.text)
  }
  for (const { events } of await storedBatches(inject('natsUrl'), settings.NATS_PREFIX ?? '')) {
    for (const { id, name, payload } of events) {
      if (name === 'entry.appended' && 'data' in payload) {
        named.note('event', id, String(payload.data?.text))
      }
    }
  }
  expect(named.twice).toEqual([])
  for (const kind of ['message', 'webhook', 'event']) {
    expect(named.count(kind)).toBeGreaterThan(3 * load.messages)
  }
}

const acknowledgedIn = (texts: readonly (string | undefined)[]) =>
  texts.filter((text) => text?.startsWith('acknowledged '))

/** How many calls of webhooks are queued or under way. */
async function waitingDeliveries(url: string): Promise<number> {
  const statement = `select count(*) from webhook_deliveries where status = 'waiting'`
  const { stdout } = await run('psql', [url, '-Atc', statement])
  return Number(stdout)
}

/** Which ids have named two things. */
class Names {
  readonly #things = new Map<string, string>()
  readonly twice: string[] = []

  note(kind: string, id: string, thing: string): void {
    const name = `${kind} ${id}`
    const known = this.#things.get(name)
    if (known !== undefined && known !== thing) this.twice.push(`${name}: ${known}, ${thing}`)
    this.#things.set(name, thing)
  }

  count(kind: string): number {
    return [...this.#things.keys()].filter((name) => name.startsWith(`${kind} `)).length
  }
}

/** Over what is there: nothing of it is left. */
async function restore(url: string, dump: string): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  const server = inject('databaseUrl')
  await run('psql', [server, '-qc', `drop database ${name} with (force)`])
  await run('psql', [server, '-qc', `create database ${name}`])
  await run('pg_restore', ['-d', url, dump])
}

async function setUp(settings: Settings, webhookURL: string) {
  const { appId, apiKeys } = await choraleJson<{ appId: string; apiKeys: { fullAccess: string } }>(
    settings,
    ...['app', 'create', '--name', 'Test'],
  )
  const operator = await choraleJson<{ key: string; secret: string }>(
    settings,
    ...['management-key', 'create', '--name', 'x'],
  )
  const full = { appId, apikey: apiKeys.fullAccess }
  const call = async (
    { origin }: Serving,
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = full,
  ) => {
    const sent = { ...headers, 'content-type': 'application/json' }
    const request = { method, path, headers: sent, body: body && JSON.stringify(body) }
    return send(origin, { ...request, deadlineMs: 60_000 })
  }
  const good = async (...args: Parameters<typeof call>) => {
    const { status, text } = await call(...args)
    expect([status, text]).toEqual([200, text])
    return JSON.parse(text).data
  }
  return {
    appId,
    async open(serving: Serving): Promise<void> {
      for (const uid of ['ann', 'bob']) await good(serving, 'POST', '/v3/users', { uid, name: uid })
      const management = { host: 'apimgmt.localhost', ...operator, 'X-Webhook-Version': '2' }
      const hook = `/apps/${appId}/webhooks`
      await good(serving, 'POST', hook, { id: 'w', name: 'w', webhookURL }, management)
      const triggers = { triggerIds: ['message_sent'] }
      await good(serving, 'POST', `${hook}/w/triggers`, triggers, management)
    },
    async say(serving: Serving, text: string): Promise<string> {
      const to = { receiver: 'bob', receiverType: 'user', category: 'message', type: 'text' }
      const body = { ...to, muid: text, data: { text } }
      const headers = { ...full, onBehalfOf: 'ann' }
      return (await good(serving, 'POST', '/v3/messages', body, headers)).id
    },
    /** Of the messages after the first one. */
    async textsOf(serving: Serving): Promise<string[]> {
      const path = '/v3/users/bob/messages?limit=100&affix=append&id=1'
      const found = await good(serving, 'GET', path, undefined, { ...full, onBehalfOf: 'ann' })
      return found.map(({ data }: { data: { text: string } }) => data.text)
    },
    async token(serving: Serving): Promise<string> {
      const made = await good(serving, 'POST', '/v3/users/bob/auth_tokens', { force: true })
      return made.authToken
    },
    async cursor(serving: Serving): Promise<string> {
      const { status, text } = await call(serving, 'GET', '/v3/events?limit=1')
      expect(status).toBe(200)
      return JSON.parse(text).meta.next.after
    },
    readEvents: (serving: Serving, after: string) =>
      call(serving, 'GET', `/v3/events?after=${encodeURIComponent(after)}`),
  }
}

/** Without a service: what an operator does who has restored both engines. */
export async function beginEpochs(settings: Settings): Promise<number[]> {
  const first = await choraleJson<{ epoch: number }>(settings, 'epoch', 'new')
  const second = await choraleJson<{ epoch: number }>(settings, 'epoch', 'new', '--after', '7')
  const without = await chorale(settings, 'epoch', 'new', '--without-nats')
  expect(without.stdout).toBe('Epoch 9 has begun.\n')
  return [first.epoch, second.epoch]
}
