import { randomBytes } from 'node:crypto'
import { afterAll, expect, test, vi } from 'vitest'
import { cloneDatabase } from '../../../../testing/src/engines/test-database.ts'
import { chorale, choraleJson, settingsFor } from '../../../../testing/src/processes/program.ts'
import { rotateUnderLoad } from '../../../../testing/src/recovery/master-key-rotation.ts'

// Processes take their time to start.
vi.setConfig({ testTimeout: 600_000 })

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

test('H7: a wrong master key is refused at start, by every command', async () => {
  const right = settingsFor(stack.use(await cloneDatabase()).url)
  await choraleJson(right, 'app', 'create', '--name', 'Test')
  const wrong = { ...right, CHORALE_MASTER_KEY: randomBytes(32).toString('base64') }
  const answers = await Promise.all([
    chorale(wrong, 'serve', '--port', '0'),
    chorale(wrong, 'app', 'create', '--name', 'Test'),
    chorale(wrong, 'master-key', 'rotate'),
  ])
  for (const { code, stdout, stderr } of answers) {
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^CHORALE_MASTER_KEY is not the key of this database.*_PREVIOUS.*\n$/)
  }
})

test('H7: the master key is changed under load, and no request fails', async () => {
  const { resealed } = await rotateUnderLoad({ tokens: 1200, calls: 10 })
  expect(resealed).toBeGreaterThan(1200)
})
