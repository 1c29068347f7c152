import { restClient } from '@chorale/sdk'
import { afterAll, expect, test } from 'vitest'
import { settingsFor, startServing } from '../../../testing/src/processes/program.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'
import { inTurn, resumeTurn, watchTurns } from './turns.ts'

const stack = new AsyncDisposableStack()
const app = stack.use(await startTestApp({ shadow: false }))
afterAll(() => stack.disposeAsync())

test('C2: a block of 300 ms in a served process is logged with its operation and app', async () => {
  const planted = new URL('../../../testing/src/processes/planted-block.ts', import.meta.url)
  const settings = {
    ...settingsFor(app.databaseUrl),
    CHORALE_MASTER_KEY: app.masterKey,
    NODE_OPTIONS: `--import=${planted}`,
  }
  const serving = stack.use(await startServing(settings, '--parts', 'api'))
  const { appId, full: apiKey } = app.keys
  const { sendMessage } = restClient({ baseUrl: `${serving.origin}/v3`, appId, apiKey })
  await app.given.users('ann', 'ben')
  const send = (name: string) =>
    sendMessage({
      onBehalfOf: 'ann',
      body: {
        receiver: 'ben',
        receiverType: 'user',
        type: 'image',
        data: { attachments: [{ url: `https://example.org/${name}` }] },
      },
    })
  await Promise.all([send('harmless'), send('planted-block'), send('harmless')])
  // Others may have been logged before: a process that has just started compiles much.
  const blocks = () =>
    serving
      .output()
      .split('\n')
      .filter((line) => line.includes('the event loop was blocked'))
      .map((line) => JSON.parse(line))
      .filter(({ cpuMs }) => cpuMs >= 290)
  const planted300 = expect.objectContaining({ operation: 'sendMessage', appId })
  await expect.poll(blocks, { timeout: 20_000 }).toContainEqual(planted300)
  const page = await (await fetch(`${serving.operationsOrigin}/metrics`)).text()
  const figure = (name: string) =>
    Number(
      page
        .split('\n')
        .find((line) => line.startsWith(name))
        ?.split(' ')
        .at(-1),
    )
  expect(figure('chorale_event_loop_blocks_total{cause="work"}')).toBeGreaterThanOrEqual(1)
  expect(figure('chorale_event_loop_longest_block_seconds')).toBeGreaterThan(0.29)
})

test('whoever goes on behind a wait is named, not whoever came last', async () => {
  const blocks: (string | undefined)[] = []
  using _ = watchTurns({
    everyMs: 20,
    atLeastMs: 60_000,
    onBlock: (turn) => blocks.push(turn?.operation),
    onBeat: () => undefined,
  })
  // Any gap counts from here on.
  using __ = watchTurns({
    everyMs: 60_000,
    atLeastMs: 50,
    onBlock: (turn) => blocks.push(turn?.operation),
    onBeat: () => undefined,
  })
  const spin = () => {
    const end = performance.now() + 60
    while (performance.now() < end);
  }
  const slow = inTurn({ operation: 'slow' }, async () => {
    await Promise.resolve()
    resumeTurn()
    spin()
  })
  inTurn({ operation: 'quick' }, () => undefined)
  await slow
  inTurn({ operation: 'next' }, () => undefined)
  expect(blocks).toEqual(['slow'])
})

test('a process in which nothing happens is looked at rarely, and a block is noticed all the same', async () => {
  const blocks: (string | undefined)[] = []
  const beats: number[] = []
  using _ = watchTurns({
    everyMs: 20,
    atLeastMs: 100,
    onBlock: (turn, ms) => void (ms < 1000 && blocks.push(turn?.operation)),
    onBeat: () => void beats.push(performance.now()),
  })
  const isResting = () => (beats.at(-1) ?? 0) - (beats.at(-2) ?? 0) > 200
  const spin = () => {
    const end = performance.now() + 150
    while (performance.now() < end);
  }
  for (const operation of [undefined, 'slow']) {
    await expect.poll(isResting, { timeout: 30_000, interval: 300 }).toBe(true)
    blocks.length = 0
    if (operation) inTurn({ operation }, spin)
    else spin()
    await expect.poll(() => blocks, { interval: 50 }).toContain(operation)
  }
})
