import { randomInt } from 'node:crypto'
import type { Api } from '@chorale/contract/api'
import type { Client } from '@chorale/contract/operation'
import { ChoraleError, restClient } from '@chorale/sdk'
import { expect } from 'vitest'
import { deadlocksIn } from '../data/log-entries.ts'
import { type MortalServer, startMortalServer } from '../processes/mortal-server.ts'
import { settingsFor } from '../processes/program.ts'
import type { TestApp } from '../service/test-app.ts'
import { drawLetters, guids, type Letter, uids } from './letters.ts'
import { getAsPosted, logsOf, type Posted, viewOf } from './stored.ts'
import { faultsIn, type View } from './verdict.ts'

export interface Storm {
  readonly sends: number
  /** How often a server dies; they take turns. */
  readonly kills: number
}

type Server = MortalServer & { readonly client: Client<Api> }
type Servers = readonly [Server, Server]

/** `SENDS_SEED=... npx vitest run ...` sends the same messages again. */
const seed = process.env.SENDS_SEED ?? String(randomInt(2 ** 32))
const maxAttempts = 100

/**
 * 64 clients send through two servers, of which one and then the other is killed in the middle.
 * Returns how many requests were cut off: nobody could tell whether their message was stored.
 */
export async function sendWhileKilling(app: TestApp, { sends, kills }: Storm): Promise<number> {
  await using stack = new AsyncDisposableStack()
  const start = async () => stack.use(await startServer(app))
  const [one, two] = await Promise.all([start(), start(), seedDefaults(app)])
  const servers: Servers = [one, two]
  const letters = drawLetters(seed, sends)
  const posted: Posted[] = []
  const deaths = Array.from({ length: kills }, (_, n) => ({
    after: Math.floor(((n + 1) * sends) / (kills + 1)),
    ...Promise.withResolvers<void>(),
  }))
  let cutOff = 0
  const mail = async (mine: readonly Letter[]) => {
    for (const letter of mine) {
      posted.push(await post(servers, letter, () => cutOff++))
      deaths.find(({ after }) => after === posted.length)?.resolve()
    }
  }
  const kill = async () => {
    for (const [n, { promise }] of deaths.entries()) {
      await promise
      const server = servers[n % 2 === 0 ? 0 : 1]
      await server.kill()
      await server.start()
    }
  }
  await Promise.all([kill(), ...letters.map(mail)])
  const repeated = await repeatSome(servers, posted)
  const views = await viewsOf(servers, posted)
  expect(faultsIn(repeated, await logsOf(app), views), `SENDS_SEED=${seed}`).toEqual([])
  for (const { client } of servers) {
    await Promise.all(someOf(posted).map((one) => getAsPosted(client, one)))
  }
  expect(await deadlocksIn(app.db)).toBe(0)
  return cutOff
}

async function startServer(app: TestApp): Promise<Server> {
  const settings = { ...settingsFor(app.databaseUrl), CHORALE_MASTER_KEY: app.masterKey }
  const server = await startMortalServer(settings)
  const { appId, full: apiKey } = app.keys
  return { ...server, client: restClient({ baseUrl: `${server.origin}/v3`, appId, apiKey }) }
}

async function seedDefaults(app: TestApp): Promise<void> {
  const client = app.as('full')
  const many = { 'rateLimits.standard': 1_000_000_000, 'rateLimits.core': 1_000_000_000 }
  await client.mapAppSettings({ params: { appId: app.appId }, body: { settings: many } })
  await Promise.all(uids.map((uid) => app.given.user(uid)))
  for (const guid of guids) {
    await app.given.group(guid)
    for (let from = 0; from < uids.length; from += 25) {
      const participants = uids.slice(from, from + 25)
      await client.addMembers({ params: { guid }, body: { participants } })
    }
  }
}

/** All its waves. */
async function post(servers: Servers, letter: Letter, onCutOff: () => void): Promise<Posted> {
  const ids: number[] = []
  for (const wave of letter.waves) {
    ids.push(...(await Promise.all(wave.map((at) => insist(servers, letter, at, onCutOff)))))
  }
  return { ...letter, ids }
}

/** A few once more, now that both servers are back. */
async function repeatSome(servers: Servers, posted: readonly Posted[]): Promise<Posted[]> {
  const some = new Set(someOf(posted))
  const repeat = async (one: Posted) => {
    const { ids } = await post(servers, { ...one, waves: [[0, 1]] }, () => {})
    return { ...one, ids: [...one.ids, ...ids] }
  }
  return Promise.all(posted.map((one) => (some.has(one) ? repeat(one) : one)))
}

/** What both sides of some messages see, one through either server. */
async function viewsOf([one, two]: Servers, posted: readonly Posted[]): Promise<View[]> {
  const views = someOf(posted).flatMap(({ conversation, sender, receiver, receiverType }) => {
    const other = receiverType === 'user' ? receiver : (uids[0] ?? '')
    return [viewOf(one.client, conversation, sender), viewOf(two.client, conversation, other)]
  })
  return Promise.all(views)
}

function someOf<T>(items: readonly T[]): T[] {
  const step = Math.ceil(items.length / 64)
  return items.filter((_, n) => n % step === 0)
}

/** Until there is an answer: refused, cut off or answered 5xx, it goes to the other server. */
async function insist(
  servers: Servers,
  { sender, receiver, receiverType, muid }: Letter,
  first: 0 | 1,
  onCutOff: () => void,
): Promise<number> {
  const body = { receiver, receiverType, muid, data: { text: `${sender} ${muid}` } }
  for (let attempt = 0; ; attempt++) {
    const { client } = servers[(first + attempt) % 2 === 0 ? 0 : 1]
    try {
      const { data } = await client.sendMessage({ body, onBehalfOf: sender })
      return 'id' in data ? Number(data.id) : Number.NaN
    } catch (error) {
      const refused = error instanceof ChoraleError && error.status < 500
      if (refused || attempt === maxAttempts) throw error
      if (!isUnreachable(error)) onCutOff()
    }
  }
}

/** There was no server, so the request never left. */
function isUnreachable(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED'
}
