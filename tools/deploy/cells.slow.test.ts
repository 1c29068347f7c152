import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createChat } from '@chorale/sdk'
import { afterAll, expect, test, vi } from 'vitest'
import { freePort } from '../../packages/server/src/main/start/free-port.ts'
import { Side } from '../../packages/server/src/move/side.ts'
import { LiveSends } from '../../packages/testing/src/move/live-sends.ts'
import { type MovingProcess, startMoving } from '../../packages/testing/src/move/moving-process.ts'
import { fillOldSide, guidOf } from '../../packages/testing/src/move/old-side.ts'
import {
  choraleJson,
  commandLine,
  startServing,
} from '../../packages/testing/src/processes/program.ts'
import { seeded } from '../../packages/testing/src/seeded.ts'
import { startRealtimeFixture } from '../../packages/testing/src/service/realtime-fixture.ts'
import { startWebhookFixture } from '../../packages/testing/src/webhooks/webhook-fixture.ts'
import { text } from './files.ts'
import { installPrograms } from './programs.ts'

// The commands of docs/operate/cells.md, on two installs behind deploy/haproxy-cells.cfg.

const messages = Number(process.env.CELLS_MESSAGES ?? 5000)
const size = { users: Math.ceil(messages / 20), groups: Math.ceil(messages / 100), messages }
const perSecond = 100
const maxRefusedMs = 2000
const secondsAfter = 10

installPrograms({ haproxy: 'haproxy' })
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const folder = mkdtempSync(join(tmpdir(), 'chorale-cells-'))
const one = stack.use(await startWebhookFixture({}, { worker: 'elsewhere' }))
const two = stack.use(await startRealtimeFixture())
const { appId, keys } = one.app
await choraleJson(two.settings, 'epoch', 'new', '--after', '1000')
await choraleJson(
  two.settings,
  ...['app', 'create', '--name', 'Moved', '--app-id', appId],
  ...['--api-key', keys.full, '--auth-only-key', keys.auth],
)
const cells = {
  one: stack.use(await startServing(one.settings)),
  two: stack.use(await startServing(two.settings)),
}
const router = stack.use(await startRouter())

/** HAProxy with the file of `deploy/`, at a port and with a map of its own. */
async function startRouter() {
  const port = await freePort()
  const [map, socket] = [join(folder, 'cells.map'), join(folder, 'cells.sock')]
  writeFileSync(map, `${appId} cell-one\n`)
  const path = join(folder, 'haproxy.cfg')
  const config = text('haproxy-cells.cfg')
    .replace('maxconn 40000', 'maxconn 1000')
    .replace('/run/haproxy/cells.sock', socket)
    .replace('/etc/haproxy/cells.map', map)
    .replace(/frontend web.*?\n\n/s, '')
    .replace(/bind :443.*/, `bind 127.0.0.1:${port}`)
    .replace('10.0.1.10:3000', new URL(cells.one.origin).host)
    .replace('10.0.2.10:3000', new URL(cells.two.origin).host)
  writeFileSync(path, config)
  const proxy = spawn('haproxy', ['-db', '-f', path], { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(proxy, 'exit')
  const origin = `http://127.0.0.1:${port}`
  await vi.waitFor(() => fetch(`${origin}/v3/users`), { timeout: 20_000, interval: 100 })
  const order = `set map ${map} ${appId} cell-two`
  const program = `require('net').connect('${socket}').end('${order}\\n')`
  return {
    origin,
    /** For a shell. */
    switchCommand: `'${process.execPath}' -e "${program}"`,
    async [Symbol.asyncDispose]() {
      proxy.kill()
      await ended
    },
  }
}

const secret = randomBytes(16).toString('hex')
const port = await freePort()
const heard = ['--webhooks', String(port)]

function move(...args: readonly string[]): MovingProcess {
  const sides = [
    ...['--from-url', `${cells.one.origin}/v3`, '--from-app', appId],
    ...['--to-url', `${cells.two.origin}/v3`, '--to-app', appId],
    ...['--state', join(folder, 'state.json'), '--json'],
  ]
  const both = { from: keys.full, to: keys.full }
  return startMoving([...args, ...sides], both, { CHORALE_MOVE_WEBHOOK_SECRET: secret })
}

async function printed({ ended }: MovingProcess) {
  const { stdout, stderr } = await ended
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

function say(line: string): void {
  console.log(`${new Date().toISOString().slice(11, 19)} ${line}`)
}

async function createWebhook(): Promise<void> {
  const headers = { 'X-Webhook-Version': 2 }
  const auth = { useBasicAuth: true, username: 'move', password: secret }
  const webhookURL = `http://127.0.0.1:${port}/`
  const body = { id: 'move', name: 'move', webhookURL, retryOnFailure: true, ...auth }
  await one.full.createWebhook({ params: { appId }, headers, body })
  const triggerIds = ['message_edited', 'message_read_receipt', 'message_delivery_receipt']
  await one.full.addWebhookTriggers({
    params: { appId, webhookId: 'move' },
    headers,
    body: { triggerIds },
  })
}

/** A chat screen, by way of the router. */
async function openScreen(uid: string) {
  const { data } = await one.full.createAuthToken({ params: { uid }, body: {} })
  const chat = createChat({
    url: `${router.origin.replace('http', 'ws')}/v3/realtime`,
    appId,
    authToken: data.authToken,
  })
  stack.defer(() => chat.close())
  const { messages } = chat.conversation({ receiver: guidOf(0), receiverType: 'group' })
  messages.subscribe(() => undefined)
  return messages
}

/** What a conversation has, the newest last. */
async function historyAt(origin: string, guid: string, onBehalfOf: string, limit: number) {
  const headers = { appId, apikey: keys.full, onBehalfOf }
  const path = `/v3/groups/${guid}/messages?limit=${limit}&affix=prepend&category=message`
  const { data } = await (await fetch(origin + path, { headers })).json()
  return data.map(({ id }: { id: string }) => id) as string[]
}

test('an app moves from one cell to the other while it is used', async () => {
  const from = { url: `${cells.one.origin}/v3`, appId, apiKey: keys.full }
  const there = await fillOldSide(new Side({ ...from, parallel: 4 }), size, seeded('cells'))
  await createWebhook()
  const talk = (nth: number) => {
    const group = nth % 10
    const members = there.membersOf(group)
    return { sender: members[nth % members.length] ?? '', receiver: guidOf(group) }
  }
  const origin = () => router.origin
  const sends = new LiveSends({ origin, appId, apiKey: keys.full, perSecond, talk })
  const people = there.membersOf(0).slice(0, 2)
  const screens = await Promise.all(people.map(openScreen))

  const startedAt = Date.now()
  const { moved } = await printed(move('run', '--auth-tokens', ...heard))
  await printed(move('cut-over', '--auth-tokens', ...heard))
  say(`moved ${JSON.stringify(moved)} in ${((Date.now() - startedAt) / 1000).toFixed(0)} s`)

  const { heldMs, left } = await printed(
    move(
      ...['hand-over', '--hold', commandLine(one.settings, 'app', 'hold', appId)],
      ...['--release', commandLine(one.settings, 'app', 'release', appId)],
      ...['--switch', router.switchCommand, ...heard],
    ),
  )
  await sleep(secondsAfter * 1000)
  await sends.stop()
  const { acknowledged, refusedMs, refusedAt, failures } = sends
  say(`${acknowledged.length} sends acknowledged, ${refusedAt.length} calls refused`)
  say(`writes were refused for ${Math.round(refusedMs)} ms; held for ${heldMs} ms`)
  expect([left, [...failures]]).toEqual([[], []])

  const written = acknowledged.filter(({ id }) => isOfCellTwo(id))
  expect(written.length).toBeGreaterThan(perSecond)
  const touched = new Set(written.map(({ id }) => id))
  const compared = await printed(move('compare'))
  const differing: { kind: string; id: string; what: string }[] = compared.differences
  const unexplained = differing.filter(({ kind, id, what }) =>
    kind === 'messages' ? what !== 'extra' || !touched.has(id) : kind !== 'unread',
  )
  say(`${compared.compared} compared; ${written.length} messages were written in the second cell`)
  expect(unexplained).toEqual([])
  expect(differing.filter(({ kind }) => kind === 'messages').length).toBe(touched.size)

  for (let group = 0; group < 10; group++) {
    const uid = there.membersOf(group).at(-1) ?? ''
    const guid = guidOf(group)
    const since = written.filter(({ sender, receiver }) => receiver === guid && sender !== uid)
    const [before, after] = [
      await unreadAt(cells.one.origin, guid, uid),
      await unreadAt(cells.two.origin, guid, uid),
    ]
    expect([guid, after - before]).toEqual([guid, since.length])
  }
  for (const screen of screens) await expectWhole(screen, people[0] ?? '')
  await loseCellOne()
  expect(refusedMs).toBeLessThan(maxRefusedMs)
}, 3_600_000)

/** Apps of the other cell do not notice. */
async function loseCellOne(): Promise<void> {
  const users = (app: string) =>
    fetch(`${router.origin}/v3/users`, { headers: { appId: app, apikey: keys.full } })
  expect((await users('unknown')).status).toBe(401)
  cells.one.signal('SIGKILL')
  await cells.one.ended
  const [away, there] = [await users('unknown'), await users(appId)]
  expect([away.status, away.headers.get('retry-after'), there.status]).toEqual([503, '2', 200])
}

async function unreadAt(origin: string, guid: string, onBehalfOf: string): Promise<number> {
  const headers = { appId, apikey: keys.full, onBehalfOf }
  const answer = await fetch(`${origin}/v3/groups/${guid}/conversation`, { headers })
  const { data } = await answer.json()
  return Number([data].flat()[0].unreadMessageCount)
}

/** Shows what the second cell has, without a hole, back to messages of the first one. */
async function expectWhole(
  screen: Awaited<ReturnType<typeof openScreen>>,
  uid: string,
): Promise<void> {
  const shown = () => screen.getSnapshot().items.map(({ id }) => String(id))
  const [last] = await historyAt(cells.two.origin, guidOf(0), uid, 1)
  await expect.poll(() => shown().at(-1), { timeout: 30_000 }).toBe(last)
  while (shown().filter((id) => !isOfCellTwo(id)).length < 50) await screen.loadMore()
  expect(shown()).toEqual(await historyAt(cells.two.origin, guidOf(0), uid, shown().length))
}

/** The second cell gives out ids of epochs that the first one never has. */
function isOfCellTwo(id: string): boolean {
  return Number(id) > 1000 * 2 ** 36 * 64
}
