import { randomBytes } from 'node:crypto'
import { allOperations } from '@chorale/contract/api'
import { ChoraleError, restClient } from '@chorale/sdk'
import fc from 'fast-check'
import { sql } from 'kysely'
import { mask } from '../../../server/src/vault/mask.ts'
import { send } from '../network/wire.ts'
import { type RowWatch, watchRows } from '../service/row-watch.ts'
import { type AppKeys, type As, startTestApp, type TestApp } from '../service/test-app.ts'
import { type Command, commandsOfARun } from './isolation-commands.ts'
import { epilogue, lastByAuthKey, prelude } from './isolation-fixture.ts'

type Side = 'a' | 'b'

/** One call in one of two apps: at its own address, or with its key at the other's. */
interface Step {
  readonly app: Side
  readonly as: As
  readonly address: 'own' | 'theirs by header' | 'theirs by host'
  readonly command: Command
}

// Without bias: that would make many runs too short to get anywhere.
const drawnSteps: fc.Arbitrary<Step[]> = fc.noBias(
  commandsOfARun.chain((command) =>
    fc.array(
      fc.record<Step>({
        app: fc.constantFrom('a', 'b'),
        as: fc.oneof({ weight: 9, arbitrary: fc.constant('full') }, fc.constant('auth')),
        address: fc.oneof(
          { weight: 12, arbitrary: fc.constant('own') },
          fc.constantFrom('theirs by header', 'theirs by host'),
        ),
        command,
      }),
      { minLength: 1, maxLength: 32, size: 'max' },
    ),
  ),
)

/** An app as its tests know it: whatever it was given, and nobody else may see. */
interface World {
  readonly keys: AppKeys
  readonly clients: Readonly<Record<As, object>>
  /** In names and metadata of this app only. */
  readonly marker: string
  readonly made: Readonly<Record<'key' | 'token' | 'cursor' | 'message', string[]>>
  /** Calls so far, which is also its time: it passes as fast with a neighbour as without. */
  calls: number
}

/** Which fields of an answer hold what was made by chance. */
const madeIn: Readonly<Record<string, keyof World['made']>> = {
  apiKey: 'key',
  authToken: 'token',
  next: 'cursor',
  id: 'message',
}

/** For a secret that nobody was given. */
const unknown = {
  key: '0'.repeat(40),
  token: `zoe_1700000000${'0'.repeat(40)}`,
  cursor: 'W10',
  message: '1',
} as const

const epoch = 1_700_000_000

interface Install extends AsyncDisposable {
  readonly app: TestApp
  readonly watch: RowWatch
  setTime(seconds: number): void
}

async function openInstall(): Promise<Install> {
  await using stack = new AsyncDisposableStack()
  let now = epoch
  const app = stack.use(await startTestApp({ shadow: false, clock: () => now }))
  const watch = stack.use(await watchRows(app.databaseUrl))
  const owned = stack.move()
  return {
    app,
    watch,
    setTime(seconds) {
      now = seconds
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/**
 * Random calls in two apps that share every id. With a neighbour an app answers as it does alone,
 * its rows stay as they are while the neighbour calls, and nothing of it shows next door.
 */
export async function checkIsolation(runs: number): Promise<void> {
  // Alone means that not even a row of another app is there.
  await using onlyA = await openInstall()
  await using onlyB = await openInstall()
  await using inTurn = await openInstall()
  await using atOnce = await openInstall()
  const property = fc.asyncProperty(drawnSteps, async (drawn) => {
    const all = [...frame('a', prelude.a), ...frame('b', prelude.b), ...drawn, ...ending]
    const own = {
      a: all.filter((one) => one.app === 'a' && !isIntrusion(one)),
      b: all.filter((one) => one.app === 'b' && !isIntrusion(one)),
    }
    const [a, b, turns, pairs] = await Promise.all([
      playAlone(onlyA, own.a),
      playAlone(onlyB, own.b),
      playInTurn(inTurn, all),
      playAtOnce(atOnce, own),
    ])
    for (const answers of [turns, pairs]) {
      compare(own.a, answers.a, a)
      compare(own.b, answers.b, b)
    }
  })
  await fc.assert(property, { numRuns: runs })
}

function frame(app: Side, commands: readonly Command[], as: As = 'full'): Step[] {
  return commands.map((command) => ({ app, as, address: 'own', command }))
}

const ending = (['a', 'b'] as const).flatMap((side) => [
  ...frame(side, epilogue),
  ...frame(side, [lastByAuthKey], 'auth'),
])

function compare(steps: readonly Step[], together: readonly string[], alone: readonly string[]) {
  for (const [place, one] of steps.entries()) {
    if (together[place] === alone[place]) continue
    throw new Error(
      `${one.command.name} answers otherwise when another app is there.\n` +
        `together: ${together[place]}\nalone:    ${alone[place]}`,
    )
  }
}

/** Call after call: after each one it can be seen whose rows were written. */
async function playInTurn(install: Install, steps: readonly Step[]) {
  await empty(install)
  const worlds = { a: await newWorld(install), b: await newWorld(install) }
  const writes = { a: await writesTo(install, worlds.a), b: await writesTo(install, worlds.b) }
  const answers: Record<Side, string[]> = { a: [], b: [] }
  for (const one of steps) {
    const { app } = one
    const other = app === 'a' ? 'b' : 'a'
    const { name } = one.command
    if (isIntrusion(one)) await intrude(install, one, worlds[app], worlds[other])
    else answers[app].push(await call(install, one, worlds[app], worlds[other]))
    // A read that writes is noticed all the same, after the next call that may.
    const operation = allOperations.get(name)
    if (operation?.effect === 'read' && !operation.audit) continue
    const written = await writesTo(install, worlds[app])
    if ((await writesTo(install, worlds[other])) !== writes[other]) {
      throw new Error(`${name} in app ${app} wrote rows of app ${other}.`)
    }
    if (isIntrusion(one) && written !== writes[app]) throw new Error(`A refused ${name} left rows.`)
    writes[app] = written
  }
  return answers
}

/** The nth calls of both at the same moment: what is gathered for many requests is not mixed up. */
async function playAtOnce(install: Install, own: Readonly<Record<Side, readonly Step[]>>) {
  await empty(install)
  const { a, b } = { a: await newWorld(install), b: await newWorld(install) }
  const answers: Record<Side, string[]> = { a: [], b: [] }
  for (let nth = 0; nth < Math.max(own.a.length, own.b.length); nth++) {
    const [inA, inB] = [own.a[nth], own.b[nth]]
    await Promise.all([
      inA && call(install, inA, a, b).then((answer) => answers.a.push(answer)),
      inB && call(install, inB, b, a).then((answer) => answers.b.push(answer)),
    ])
  }
  return answers
}

async function playAlone(install: Install, steps: readonly Step[]): Promise<string[]> {
  await empty(install)
  const world = await newWorld(install)
  const answers: string[] = []
  for (const one of steps) answers.push(await call(install, one, world, undefined))
  return answers
}

/** Without foreign keys the order does not matter; `truncate` would take a hundred times as long. */
async function empty({ app }: Install): Promise<void> {
  await sql`
    do $$
    declare name text;
    begin
      set local session_replication_role = replica;
      for name in select c.relname from pg_class c
                  join pg_attribute on attrelid = c.oid and attname = 'app_id'
                  where relkind in ('r', 'p') and not relispartition loop
        execute format('delete from %I', name);
      end loop;
    end $$`.execute(app.db)
}

async function newWorld({ app, setTime }: Install): Promise<World> {
  setTime(epoch)
  const keys = await app.anotherApp()
  return {
    keys,
    clients: { full: app.client(keys, 'full'), auth: app.client(keys, 'auth') },
    marker: randomBytes(8).toString('hex'),
    made: { key: [keys.full, keys.auth], token: [], cursor: [], message: [] },
    calls: 0,
  }
}

function writesTo({ watch }: Install, { keys }: World): Promise<number> {
  return watch.writesTo(keys.appId)
}

/** Management calls carry no key of an app. */
function isIntrusion({ address, command: { name } }: Step): boolean {
  return address !== 'own' && allOperations.get(name)?.requires !== 'management'
}

/** Makes the call and returns its answer, with the app's own secrets and ids under other names. */
async function call(
  install: Install,
  { as, command: { name, input } }: Step,
  world: World,
  other: World | undefined,
): Promise<string> {
  world.calls++
  install.setTime(epoch + world.calls)
  const sent = resolve(input, world, other)
  const answer = await settled(world.clients[as], name, sent)
  const text = textOf(answer)
  if (other) seeThatNothingShows(name, text, JSON.stringify(sent), other)
  learn(answer, world)
  return withoutChance(text, world, other)
}

/** A key opens its own app only, however the other one is named. */
async function intrude(install: Install, one: Step, world: World, other: World): Promise<void> {
  const { name, input } = one.command
  const { app } = install
  const client =
    one.address === 'theirs by header'
      ? app.client({ ...world.keys, appId: other.keys.appId }, one.as)
      : restClient({
          baseUrl: `${app.origin}/v3`,
          appId: world.keys.appId,
          apiKey: world.keys[one.as],
          fetch: fetchFrom(`${other.keys.appId}.api-us.localhost`),
        })
  const answer = await settled(client, name, resolve(input, world, other))
  const { code } = answer as { code?: string }
  if (code === 'AUTH_ERR_APIKEY_NOT_FOUND') return
  throw new Error(`${name} with a key of another app answered ${JSON.stringify(answer)}.`)
}

/** `fetch` does not let anyone choose the host. */
function fetchFrom(host: string): typeof fetch {
  return async (url, { method, headers, body } = {}) => {
    const { origin, pathname, search } = new URL(String(url))
    const { status, text } = await send(origin, {
      method: method ?? 'GET',
      path: pathname + search,
      headers: { ...Object.fromEntries(new Headers(headers)), host },
      body: typeof body === 'string' ? body : undefined,
    })
    return new Response(text, { status })
  }
}

async function settled(client: object, name: string, input: unknown): Promise<object> {
  // A function per operation; the table of commands has typed the input.
  const calls = client as Record<string, (input: unknown) => Promise<object>>
  try {
    return (await calls[name]?.(input)) ?? {}
  } catch (error) {
    if (!(error instanceof ChoraleError) || error.status >= 500) throw error
    const { status, code, message, devMessage, details } = error
    return { status, code, message, devMessage, details }
  }
}

const reference = /\$(marker|appId|key|token|cursor|message|theirKey|theirToken|theirMessage)(\d*)/g

function resolve(value: unknown, world: World, other: World | undefined): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(reference, (_, what: string, place: string) =>
      referent(what, Number(place), world, other),
    )
  }
  if (Array.isArray(value)) return value.map((item) => resolve(item, world, other))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, resolve(item, world, other)]),
  )
}

function referent(what: string, place: number, world: World, other: World | undefined): string {
  switch (what) {
    case 'marker':
      return world.marker
    case 'appId':
      return world.keys.appId
    case 'theirKey':
      return other?.made.key[place] ?? unknown.key
    case 'theirToken':
      return other?.made.token[place] ?? unknown.token
    case 'theirMessage':
      return other?.made.message[place] ?? unknown.message
    default:
      return world.made[what as keyof World['made']][place] ?? unknown[what as keyof World['made']]
  }
}

function learn(answer: unknown, { made }: World): void {
  visit(answer, (key, value) => {
    const kind = key === 'id' && !isMessageId(value) ? undefined : madeIn[key]
    if (kind && !made[kind].includes(value)) made[kind].push(value)
  })
}

function visit(value: unknown, see: (key: string, text: string) => void): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, item] of Object.entries(value)) {
    if (typeof item === 'string') see(key, item)
    else visit(item, see)
  }
}

/**
 * The answer with cursors readable, so that what is in them can be seen; without numbers that all
 * apps of an install are given in turn: those of messages and of conversations.
 */
function textOf(answer: object): string {
  return JSON.stringify(answer, (key, value: unknown) => {
    if (key === 'next' && typeof value === 'string') {
      return readable(value).replace(/,\d+]$/, ',<key>]')
    }
    if (/^id$|Id$/.test(key) && isMessageId(value)) return '<message>'
    if (key === 'message' || key === 'devMessage') {
      return typeof value === 'string' ? value.replace(/^(The message) \d+/, '$1') : value
    }
    return key === 'data' && Array.isArray(value) ? inOrder(value) : value
  })
}

function readable(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString('utf8')
}

function isMessageId(value: unknown): boolean {
  return typeof value === 'string' && /^\d+$/.test(value)
}

/** The two keys of a new app are of the same second: their order is chance. */
function inOrder(rows: readonly unknown[]): readonly unknown[] {
  const isKey = (row: unknown) => typeof row === 'object' && row !== null && 'apiKey' in row
  if (!rows.every(isKey)) return rows
  const order = (row: unknown) => JSON.stringify({ ...(row as object), apiKey: '' })
  return rows.toSorted((one, two) => (order(one) < order(two) ? -1 : 1))
}

/** What the caller sent may come back; anything else of the other app may not. */
function seeThatNothingShows(name: string, text: string, sent: string, other: World): void {
  const secrets = [other.marker, other.keys.appId, ...other.made.key, ...other.made.token]
  const shown = secrets.find((secret) => text.includes(secret) && !sent.includes(secret))
  if (shown) throw new Error(`${name} shows ${shown}, which is another app's: ${text}`)
}

function withoutChance(text: string, world: World, other: World | undefined): string {
  const named = (list: readonly string[], name: (place: number) => string) =>
    list.flatMap((secret, place): [string, string][] => [
      [secret, `<${name(place)}>`],
      [mask(secret), `<masked ${name(place)}>`],
    ])
  const names: [string, string][] = [
    [world.marker, '<marker>'],
    [world.keys.appId, '<app>'],
    ...named(world.made.key, (place) => `key ${place}`),
    ...named(world.made.token, (place) => `token ${place}`),
    ...named([...(other?.made.key ?? []), unknown.key], () => 'a key that is not there'),
  ]
  let result = text
  for (const [secret, stand] of names) result = result.replaceAll(secret, stand)
  return result
}
