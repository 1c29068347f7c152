import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { expectReceiver } from '../../packages/testing/src/providers/webhook-receiver.ts'
import { startRealtimeFixture } from '../../packages/testing/src/service/realtime-fixture.ts'
import { root } from '../tree.ts'

// What takes longer than guide.test.ts may: a compiler.

const run = promisify(execFile)
const fixture = await startRealtimeFixture()
const { app } = fixture
const folder = mkdtempSync(join(tmpdir(), 'chorale-guide-'))
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await fixture[Symbol.asyncDispose]()
})

/** As `go run` has it, in a folder that it may write to. */
const goEnv = { PATH: process.env.PATH, HOME: folder, GO111MODULE: 'off' }

async function build(file: string): Promise<string> {
  const program = join(folder, basename(file, '.go'))
  await run('go', ['build', '-o', program, join(root, file)], { env: goEnv, cwd: folder })
  return program
}

test('examples/server/server.go does what its page says', async () => {
  const { appId, full } = await app.anotherApp()
  const env = { API_URL: `${app.origin}/v3`, APP_ID: appId, API_KEY: full }
  const program = await build('examples/server/server.go')
  const { stdout } = await run(program, [], { env })
  expect(stdout).toMatch(/^token ann_\w+\napp_system: Welcome, both of you.\n$/)
})

test('examples/webhooks/receiver.go takes a genuine call, and no other', async () => {
  await expectReceiver(await build('examples/webhooks/receiver.go'), () => [])
})
