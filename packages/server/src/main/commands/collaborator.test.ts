import { afterAll, expect, test, vi } from 'vitest'
import { cloneDatabase } from '../../../../testing/src/engines/test-database.ts'
import { chorale, choraleJson, settingsFor } from '../../../../testing/src/processes/program.ts'

// A process takes its time to start.
vi.setConfig({ testTimeout: 400_000 })

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const settings = settingsFor(stack.use(await cloneDatabase()).url)
const collaborator = <T>(...args: readonly string[]) =>
  choraleJson<T>(settings, 'collaborator', ...args)

test('the first owner is made on the command line, changed, reset and removed', async () => {
  const email = 'ada@example.com'
  const made = await collaborator<{ password: string }>('create', '--email', 'Ada@example.com')
  expect(made).toMatchObject({ email, password: expect.stringMatching(/^[\w.-]{20,}$/) })
  // Who has a password keeps it.
  const again = await collaborator<object>('create', '--email', email, '--role', 'developer')
  expect(again).not.toHaveProperty('password')
  const [person] = await collaborator<object[]>('list')
  expect(person).toMatchObject({ email, role: 'developer', hasPassword: true, apps: {} })
  const reset = await collaborator<{ password: string }>('reset', email)
  expect(reset.password).not.toBe(made.password)
  const unknown = await chorale(settings, 'collaborator', 'create', '--email', email, '--app', 'x')
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('There is no app x')])
  await collaborator('remove', email)
  expect(await collaborator('list')).toEqual([])
  const { stdout } = await chorale(settings, 'audit', 'list', '--json')
  const operations = JSON.parse(stdout).map((row: { operation: string }) => row.operation)
  const create = 'collaborator create'
  expect(operations).toEqual(['collaborator remove', 'collaborator reset', create, create])
  expect(stdout).not.toContain(reset.password)
})
