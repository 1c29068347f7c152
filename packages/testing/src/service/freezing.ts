import pg from 'pg'
import { expect } from 'vitest'
import { cloneDatabase } from '../engines/test-database.ts'
import { startTcpProxy } from '../network/tcp-proxy.ts'
import { send, type WireAnswer } from '../network/wire.ts'
import { choraleJson, type Settings, settingsFor, startServing } from '../processes/program.ts'

const wait = { timeout: 60_000, interval: 50 }
const deadlineMs = 120_000

/** A service whose database can fall silent, and someone who sends to it. */
interface Freezing extends AsyncDisposable {
  readonly origin: string
  freeze(): void
  thaw(): void
  /** Sends one message more, once. */
  say(): Promise<WireAnswer>
  /** Lists users. */
  look(): Promise<WireAnswer>
  /** Sends all of them again until they are taken: each is stored once, and nothing was given up. Returns how many. */
  sayAgain(): Promise<number>
}

export async function startFreezing(more: Settings): Promise<Freezing> {
  await using stack = new AsyncDisposableStack()
  const { url } = stack.use(await cloneDatabase())
  const proxy = stack.use(await startTcpProxy(url))
  // An event is given up at its first failure.
  const settings = { ...settingsFor(url), LISTENER_ATTEMPTS: '1', ...more }
  const { appId, apiKeys } = await choraleJson<{ appId: string; apiKeys: { fullAccess: string } }>(
    settings,
    ...['app', 'create', '--name', 'Test'],
  )
  const { origin } = stack.use(await startServing({ ...settings, DATABASE_URL: proxy.url }))
  const headers = { appId, apikey: apiKeys.fullAccess, 'content-type': 'application/json' }
  const post = (path: string, body: object, onBehalfOf?: string) =>
    send(origin, {
      method: 'POST',
      path: `/v3${path}`,
      body: JSON.stringify(body),
      deadlineMs,
      headers: { ...headers, ...(onBehalfOf && { onBehalfOf }) },
    })
  for (const uid of ['ann', 'bob']) {
    expect((await post('/users', { uid, name: uid })).status).toBe(200)
  }
  const muids: string[] = []
  const sayAs = (muid: string) => {
    const to = { receiver: 'bob', receiverType: 'user', category: 'message', type: 'text' }
    return post('/messages', { ...to, muid, data: { text: muid } }, 'ann')
  }
  const say = () => {
    const muid = `m${muids.length}`
    muids.push(muid)
    return sayAs(muid)
  }
  expect((await say()).status).toBe(200)
  const owned = stack.move()
  return {
    origin,
    freeze: proxy.freeze,
    thaw: proxy.thaw,
    say,
    look: () => send(origin, { path: '/v3/users', headers, deadlineMs }),
    async sayAgain() {
      for (const muid of muids) {
        await expect.poll(async () => (await sayAs(muid)).status, wait).toBe(200)
      }
      expect(await storedIn(url)).toEqual(muids.toSorted())
      expect(await choraleJson(settings, 'dead-letters', 'list')).toEqual([])
      return muids.length
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** The muids of all messages, once everything is published. */
async function storedIn(url: string): Promise<string[]> {
  const reader = new pg.Client({ connectionString: url })
  await reader.connect()
  try {
    const unpublished = 'select from append_receipts union all select from outbox'
    await expect.poll(async () => (await reader.query(unpublished)).rowCount, wait).toBe(0)
    const { rows } = await reader.query('select muid from entries where muid is not null')
    return rows.map(({ muid }) => muid).toSorted()
  } finally {
    await reader.end()
  }
}
