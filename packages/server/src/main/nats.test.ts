import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nkeys } from '@nats-io/transport-node'
import { pino } from 'pino'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { makeNatsOperator } from '../../../testing/src/engines/nats-operator.ts'
import { type NatsServer, startNatsServer } from '../../../testing/src/engines/nats-server.ts'
import { makeAuthority } from '../../../testing/src/network/certificates.ts'
import { connectBus, connectNow } from '../bus/bus.ts'
import { openEventStream } from '../bus/event-stream.ts'
import { readConfig } from '../config.ts'
import { natsAccessOf } from './nats.ts'

vi.setConfig({ testTimeout: 60_000 })

const folder = mkdtempSync(join(tmpdir(), 'chorale-credentials-'))
const stack = new AsyncDisposableStack()
stack.defer(() => rmSync(folder, { recursive: true }))
afterAll(() => stack.disposeAsync())
const log = pino({ level: 'silent' })
const masterKey = randomBytes(32).toString('base64')
const wait = { timeout: 30_000 }

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

function accessOf(settings: Readonly<Record<string, string>>) {
  return natsAccessOf(readConfig({ CHORALE_MASTER_KEY: masterKey, ...settings }), log)
}

const streaming = { prefix: 'test', hours: 1, replicas: 1 }
const batch = (id: string) => ({ subject: 'a.b.c', id, body: '{}', events: [] })

/** Whether an event reaches the stream with these settings, at the first try. */
async function publishes(settings: Readonly<Record<string, string>>): Promise<boolean> {
  const refused = await connectNow(accessOf(settings)).then(
    async (bus) => {
      await using connected = bus
      await openEventStream(connected, streaming).publish(batch(randomBytes(8).toString('hex')))
    },
    (error: Error) => error,
  )
  return !refused
}

/** A server that is slow to answer on a busy machine is asked again. */
async function untilPublished(settings: Readonly<Record<string, string>>): Promise<void> {
  await expect.poll(() => publishes(settings), wait).toBe(true)
}

async function serverWith(configuration: string): Promise<NatsServer> {
  return stack.use(await startNatsServer(configuration))
}

describe('H2: NATS is shown', () => {
  test('H2: a user and a password, from settings, a file or the address', async () => {
    // Digits: an address without its password stripped would take these for the port.
    const { url } = await serverWith('authorization { user: "cho@rale", password: "4711" }')
    const { host } = new URL(url)
    expect(await publishes({ NATS_URL: url })).toBe(false)
    expect(await publishes({ NATS_URL: url, NATS_USER: 'cho@rale', NATS_PASSWORD: '1' })).toBe(
      false,
    )
    const NATS_PASSWORD_FILE = file('password', '4711\n')
    await untilPublished({ NATS_URL: url, NATS_USER: 'cho@rale', NATS_PASSWORD_FILE })
    await untilPublished({ NATS_URL: `nats://cho%40rale:4711@${host}` })
  })

  test('H2: a token', async () => {
    const { url } = await serverWith('authorization { token: "s3cret" }')
    const { host } = new URL(url)
    expect(await publishes({ NATS_URL: url, NATS_TOKEN: 'wrong' })).toBe(false)
    await untilPublished({ NATS_URL: url, NATS_TOKEN: 's3cret' })
    await untilPublished({ NATS_URL: `nats://s3cret@${host}` })
  })

  test('H2: an nkey', async () => {
    const user = nkeys.createUser()
    const seed = (pair: typeof user) => new TextDecoder().decode(pair.getSeed())
    const { url } = await serverWith(`authorization { users: [{ nkey: ${user.getPublicKey()} }] }`)
    const stranger = seed(nkeys.createUser())
    expect(await publishes({ NATS_URL: url, NATS_NKEY_SEED: stranger })).toBe(false)
    await untilPublished({ NATS_URL: url, NATS_NKEY_SEED: seed(user) })
  })

  test('H2: a creds file', async () => {
    const { configuration, creds } = makeNatsOperator()
    const { url } = await serverWith(configuration)
    const stranger = file('stranger.creds', makeNatsOperator().creds)
    expect(await publishes({ NATS_URL: url, NATS_CREDS_FILE: stranger })).toBe(false)
    const NATS_CREDS_FILE = file('user.creds', creds)
    await untilPublished({ NATS_URL: url, NATS_CREDS_FILE })
  })

  test('H2: a client certificate, over TLS with an authority of its own', async () => {
    const authority = makeAuthority()
    const server = authority.sign('nats', 'localhost')
    const client = authority.sign('chorale', 'chorale.example')
    const ca = file('ca.pem', authority.ca)
    const tls = `tls {
      cert_file: "${file('server.pem', server.cert)}", key_file: "${file('server.key', server.key)}"
      ca_file: "${ca}", verify: true
    }`
    const { url } = await serverWith(tls)
    const NATS_URL = `tls://localhost:${new URL(url).port}`
    const certificate = {
      NATS_CERT_FILE: file('client.pem', client.cert),
      NATS_KEY_FILE: file('client.key', client.key),
    }
    expect(await publishes({ NATS_URL, NATS_CA_FILE: ca })).toBe(false)
    expect(await publishes({ NATS_URL, ...certificate })).toBe(false)
    await untilPublished({ NATS_URL, NATS_CA_FILE: ca, ...certificate })
  })

  test('H2: nothing in clear text where TLS is demanded', async () => {
    const { url } = await serverWith('')
    await untilPublished({ NATS_URL: url })
    expect(await publishes({ NATS_URL: url.replace('nats:', 'tls:') })).toBe(false)
  })
})

test('H2: a NATS on another machine needs credentials, or the word that it does not', () => {
  const NATS_URL = 'nats://127.0.0.1:4222,nats://10.1.2.3:4222'
  expect(() => accessOf({ NATS_URL })).toThrow(/10\.1\.2\.3.*NATS_ANONYMOUS/)
  expect(() => accessOf({ NATS_URL: 'nats://nats.internal' })).toThrow('NATS_ANONYMOUS')
  for (const host of ['127.0.0.1', '127.9.9.9:4222', 'localhost', '[::1]:4222']) {
    expect(accessOf({ NATS_URL: `nats://${host}` })).toEqual({ servers: [host] })
  }
  expect(accessOf({ NATS_URL, NATS_ANONYMOUS: 'true' }).servers).toHaveLength(2)
  expect(accessOf({ NATS_URL, NATS_TOKEN: 'x' }).servers).toEqual([
    '127.0.0.1:4222',
    '10.1.2.3:4222',
  ])
})

test.each([
  [{ NATS_USER: 'a', NATS_PASSWORD: 'b', NATS_TOKEN: 'c' }, /several credentials/],
  [{ NATS_URL: 'nats://a:b@localhost', NATS_TOKEN: 'c' }, /several credentials/],
  [{ NATS_URL: 'nats://a:b@localhost,nats://a:c@localhost' }, /different credentials/],
  [{ NATS_PASSWORD: 'b' }, /NATS_USER is not/],
  [{ NATS_NKEY_SEED: 'SUnonsense' }, /NATS_NKEY_SEED does not hold/],
  [{ NATS_CREDS_FILE: '/nothing/here' }, /NATS_CREDS_FILE.*cannot be read/],
  [{ NATS_CREDS_FILE: '/dev/null' }, /NATS_CREDS_FILE does not hold/],
  [{ NATS_CERT_FILE: '/dev/null' }, /go together/],
  [{ NATS_CA_FILE: '/nothing/here' }, /NATS_CA_FILE.*cannot be read/],
  [{ NATS_URL: 'http://localhost:4222' }, /NATS_URL is not an address/],
])('H2: credentials that cannot work are refused at start: %j', (settings, message) => {
  expect(() => accessOf(settings)).toThrow(message)
})

test('the first NATS that answers is taken, of several addresses', async () => {
  const { url } = await serverWith('')
  await using gone = await startNatsServer()
  await gone.kill()
  await using bus = connectBus(accessOf({ NATS_URL: `${gone.url}, ${url}` }), log)
  await expect.poll(() => bus.ping().then(() => 'there'), wait).toBe('there')
  await untilPublished({ NATS_URL: `${gone.url},${url}` })
})
