import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, expect, test, vi } from 'vitest'
import { cloneDatabase } from '../../../../testing/src/engines/test-database.ts'
import {
  choraleJson,
  failing,
  settingsFor,
  startServing,
} from '../../../../testing/src/processes/program.ts'

// A process takes its time to start.
vi.setConfig({ testTimeout: 120_000 })

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const settings = settingsFor(stack.use(await cloneDatabase()).url)
const { appId, apiKeys } = await choraleJson<{ appId: string; apiKeys: { fullAccess: string } }>(
  settings,
  ...['app', 'create', '--name', 'Test'],
)

test.for([
  ['a timer that throws', "setInterval(() => { throw new Error('planted') }, 10)"],
  ['a promise that nobody waits for', "Promise.reject(new Error('planted'))"],
  ['a stream without a listener', "process.stdin.destroy(new Error('planted'))"],
] as const)(
  'C1: after %s what was accepted is finished, and the process ends',
  async ([, script]) => {
    await using serving = await startServing({ ...settings, ...failing(script) })
    const body = JSON.stringify({ uid: 'ada', name: 'Ada' })
    const socket = connect(Number(new URL(serving.origin).port), '127.0.0.1')
    socket.write(
      `POST /v3/users HTTP/1.1\r\nHost: a\r\nappId: ${appId}\r\napikey: ${apiKeys.fullAccess}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
        'Expect: 100-continue\r\n\r\n',
    )
    const [leave] = await once(socket, 'data')
    expect(String(leave)).toMatch(/^HTTP\/1.1 100 /)
    serving.signal('SIGUSR2')
    await serving.said('stopping')
    socket.write(body)
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1.1 (200|400) /)
    expect(await serving.ended).toBe(1)
    const fatal = serving
      .output()
      .split('\n')
      .filter((line) => line.includes('"level":60'))
    expect(fatal[0]).toContain('planted')
    expect(fatal.length).toBeLessThanOrEqual(20)
  },
)
