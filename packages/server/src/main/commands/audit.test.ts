import { afterAll, expect, test, vi } from 'vitest'
import { cloneDatabase } from '../../../../testing/src/engines/test-database.ts'
import { chorale, choraleJson, settingsFor } from '../../../../testing/src/processes/program.ts'

// A process takes its time to start.
vi.setConfig({ testTimeout: 400_000 })

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const settings = settingsFor(stack.use(await cloneDatabase()).url)

test('M7: the audit log is read on the command line', async () => {
  const create = ['app', 'create', '--region', 'us', '--name'] as const
  const { appId } = await choraleJson<{ appId: string }>(settings, ...create, 'One')
  await choraleJson(settings, 'key', 'create', '--app', appId, '--name', 'Plain')
  const list = (...args: readonly string[]) =>
    choraleJson<{ operation: string; caller: string }[]>(settings, 'audit', 'list', ...args)
  const rows = await list('--app', appId, '--since', '1h')
  expect(rows[0]).toMatchObject({ operation: 'key create', caller: 'cli' })
  const { stdout } = await chorale(settings, 'audit', 'list', '--operation', 'key create')
  expect(stdout).toContain('key create')
  expect(stdout).not.toContain('app create')
  const exported = await chorale(settings, 'audit', 'export', '--app', appId)
  const lines = exported.stdout.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).operation)).toEqual(['key create', 'app create'])
  const wrong = await chorale(settings, 'audit', 'list', '--since', 'yesterday')
  expect(wrong.code).toBe(1)
  expect(wrong.stderr).toContain('30m, 12h, 7d')
})
