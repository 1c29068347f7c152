import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { inject } from 'vitest'
import { readConfig } from '../../../server/src/config.ts'
import type { Db } from '../../../server/src/database/db.ts'
import { answer, openReceiver, type Receiver } from '../network/receiver.ts'
import { startIdentityProvider } from '../providers/identity-provider.ts'
import { startService } from '../service/service.ts'
import { type AppKeys, startTestApp } from '../service/test-app.ts'
import {
  type Call,
  type Change,
  made,
  makeDevice,
  makeIssuer,
  makeSecondKey,
  type Outcome,
} from './remembered-changes.ts'

/** A process of the install. */
interface Process {
  readonly origin: string
  readonly managementOrigin: string
}

export interface Install extends AsyncDisposable {
  readonly db: Db
  readonly keys: AppKeys
  readonly management: { readonly key: string; readonly secret: string }
  readonly processes: readonly [Process, Process]
  /** Where a webhook that is asked before a message leads; it drops every message. */
  readonly gate: Receiver
  /** Of ann, issued now. */
  signJwt(): Promise<string>
}

/** Two services that share a database, and nothing else. */
export async function openInstall(): Promise<Install> {
  await using stack = new AsyncDisposableStack()
  const settings = { EGRESS_HTTP: 'true', EGRESS_ALLOW: '127.0.0.0/8' }
  const app = stack.use(await startTestApp({ shadow: false, live: { settings } }))
  const config = readConfig({
    DATABASE_URL: app.databaseUrl,
    NATS_URL: inject('natsUrl'),
    CHORALE_MASTER_KEY: app.masterKey,
    AUTH_REFUSALS_PER_MINUTE: '0',
    MANAGEMENT_PORT: '1',
    ...settings,
  })
  const log = pino({ level: 'silent' })
  const other = stack.use(await startService({ config, log, strictAnswers: true }))
  const gate = stack.use(await openReceiver(answer(200, '{"action":"do_not_propagate"}')))
  made.gateUrl = gate.url
  const provider = stack.use(await startIdentityProvider())
  made.issuer = provider.issuer
  made.jwksUrl = provider.jwksUrl
  const signJwt = () => provider.sign({ sub: 'ann' })
  made.jwt = await signJwt()
  const { db, keys, management } = app
  const owned = stack.move()
  const install: Install = {
    db,
    keys,
    management,
    processes: [app, other],
    gate,
    signJwt,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
  await prepare(install)
  return install
}

/** What a send was decided by that was not true any more; undefined: nothing. */
export async function contradiction(
  install: Install,
  change: Change,
  by: 0 | 1,
): Promise<string | undefined> {
  const { api, management } = callsOf(install, by)
  const both = by === 0 ? [1, 0] : [0, 1]
  if (change.by === 'jwt') made.jwt = await freshJwt(install)
  // Both have sent it and so remember what it needs.
  for (const nth of [...both, ...both]) {
    const [outcome = nothing] = (await tried(install, nth, change, by)).filter(
      (one) => !isGood(one),
    )
    if (!isGood(outcome)) throw new Error(`It cannot be done: ${JSON.stringify(outcome)}`)
  }
  const after = async (isSo: (outcome: Outcome) => boolean) => {
    for (const nth of both) {
      const [outcome] = (await tried(install, nth, change, by)).filter((one) => !isSo(one))
      if (outcome) return JSON.stringify(outcome)
    }
    return undefined
  }
  await change.apply(api, management)
  const seen = await after(change.shows)
  await change.undo(api, management)
  const undone = await after((outcome) => outcome.status === 200 && !change.shows(outcome))
  return seen ?? undone
}

/** A change before this one may have ended all that were issued up to this second. */
async function freshJwt({ signJwt }: Install): Promise<string> {
  await pause(1100)
  return signJwt()
}

const nothing: Outcome = { status: 200, body: {} }
const isGood = ({ status }: Outcome) => status === 200

/** A send and, where the change is about that as well, a page: whichever is first meets what is stale. */
async function tried(install: Install, nth: number, change: Change, by: 0 | 1): Promise<Outcome[]> {
  if (!change.alsoReads) return [await send(install, nth, change)]
  const [one, other] = by === 0 ? [send, read] : [read, send]
  return [await one(install, nth, change), await other(install, nth, change)]
}

/** Transactions of this database, as far as PostgreSQL has counted them. */
export async function transactionsOf({ db }: Install): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select xact_commit as count from pg_stat_database
    where datname = current_database()`.execute(db)
  return rows[0]?.count ?? 0
}

/** Ann, Bob, and a group in which Ann is. */
async function prepare(install: Install): Promise<void> {
  const { api, management } = callsOf(install, 0)
  // 500 changes make more calls in a minute than are usually allowed.
  const many = {
    'rateLimits.device': 1_000_000,
    'rateLimits.standard': 1_000_000,
    'rateLimits.core': 1_000_000,
  }
  await management('POST', '/settings', { settings: many })
  for (const [uid, name] of [
    ['ann', 'Ann'],
    ['bob', 'Bob'],
    ['eve', 'Eve'],
  ]) {
    await api('POST', '/users', { uid, name })
  }
  await api('POST', '/roles', { role: 'silent', name: 'Silent' })
  await api('PUT', '/roles/silent/permissions', { permissions: { sendMessage: 'deny' } })
  await api('POST', '/users/ann/friends', { accepted: ['bob'] })
  await api('PUT', '/roles/default', { settings: { sendMessagesTo: 'friendsOnly' } })
  await api('POST', '/groups', { guid: 'crew', name: 'Crew', type: 'public', owner: 'eve' })
  await api('POST', '/groups/crew/members', { participants: ['ann'] })
  await makeSecondKey(api)
  await makeDevice(api)
  await makeIssuer(api)
}

/** The calls of a server with the full key, and of the operator, to one of the processes. */
export function callsOf(install: Install, nth: number): { api: Call; management: Call } {
  const { keys, management } = install
  const { origin, managementOrigin } = install.processes[nth % 2 === 0 ? 0 : 1]
  const operator = { key: management.key, secret: management.secret }
  return {
    api: async (method, path, body, onBehalfOf) => {
      const headers = {
        appid: keys.appId,
        apikey: keys.full,
        ...(onBehalfOf && { onbehalfof: onBehalfOf }),
      }
      return succeeded(await request(`${origin}/v3${path}`, method, headers, body))
    },
    management: async (method, path, body) =>
      succeeded(
        await request(`${managementOrigin}/apps/${keys.appId}${path}`, method, operator, body),
      ),
  }
}

function headersOf({ keys }: Install, { by }: Change): Readonly<Record<string, string>> {
  const credentials = {
    key: { apikey: keys.full, onbehalfof: 'ann' },
    secondKey: { apikey: made.secondKey, onbehalfof: 'ann' },
    app: { apikey: keys.full },
    device: { authtoken: made.device },
    jwt: { authtoken: made.jwt },
  }
  return { appid: keys.appId, ...credentials[by] }
}

/** The last messages between Ann and Bob, or of the group. */
function read(install: Install, nth: number, change: Change): Promise<Outcome> {
  const { origin } = install.processes[nth % 2 === 0 ? 0 : 1]
  const path = change.to === 'user' ? 'users/bob' : 'groups/crew'
  return request(`${origin}/v3/${path}/messages`, 'GET', headersOf(install, change), undefined)
}

/** A message of Ann's, or of the app's, to Bob or to the group. */
export function send(install: Install, nth: number, change: Change): Promise<Outcome> {
  const { to, more } = change
  const { origin } = install.processes[nth % 2 === 0 ? 0 : 1]
  const receiver = to === 'user' ? 'bob' : 'crew'
  const body = {
    receiver,
    receiverType: to,
    category: 'message',
    type: 'text',
    data: { text: 'hello' },
    ...more,
  }
  return request(`${origin}/v3/messages`, 'POST', headersOf(install, change), body)
}

async function request(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): Promise<Outcome> {
  const type = { 'content-type': 'application/json' }
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body !== undefined && type) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

function succeeded(outcome: Outcome): Outcome {
  if (outcome.status === 200) return outcome
  throw new Error(`A change failed: ${JSON.stringify(outcome.body)}`)
}
