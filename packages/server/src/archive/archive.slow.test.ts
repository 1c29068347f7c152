import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { fillHistory } from '../../../testing/src/imports/large-history.ts'
import { watchMemory } from '../../../testing/src/move/memory-of.ts'
import { startMoving, startProgram } from '../../../testing/src/move/moving-process.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'
import { Side } from '../move/side.ts'

/** The whole size is 1,000,000. */
const messages = Number(process.env.ARCHIVE_MESSAGES ?? 50_000)
const twoHours = 7_200_000
/** In megabytes, however many messages there are; the heap takes its time to reach its size. */
const maxMemory = 400
const maxGrowth = 60

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const old = stack.use(await startTestApp({ shadow: false }))
const fresh = stack.use(await startTestApp({ shadow: false }))
const folder = mkdtempSync(join(tmpdir(), 'chorale-archive-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function run(command: string, side: typeof old, ...args: readonly string[]) {
  const started = performance.now()
  const running = startProgram([command, '--app', side.appId, '--json', ...args], {
    CHORALE_ARCHIVE_URL: `${side.origin}/v3`,
    CHORALE_ARCHIVE_KEY: side.keys.full,
  })
  const memory = watchMemory(running.pid)
  const { code, stdout, stderr } = await running.ended
  if (code !== 0) throw new Error(stderr.slice(-2000))
  const seconds = (performance.now() - started) / 1000
  const samples = memory()
  const middle = Math.floor(samples.length / 2)
  const early = Math.max(0, ...samples.slice(0, middle))
  const late = Math.max(0, ...samples.slice(middle))
  const rate = Math.round(messages / seconds)
  console.log(
    `${command}: ${seconds.toFixed(0)} s, ${rate} messages/s, memory ${early} MB at most in the ` +
      `first half, ${late} MB in the second`,
  )
  return { printed: JSON.parse(stdout), early, late }
}

test(
  `an app of ${messages} messages is the same behind an archive, with memory flat`,
  async () => {
    const filling = performance.now()
    const side = new Side({
      url: `${old.origin}/v3`,
      appId: old.appId,
      apiKey: old.keys.full,
      parallel: 4,
    })
    await fillHistory(side, messages)
    console.log(`filled in ${((performance.now() - filling) / 1000).toFixed(0)} s`)

    const archive = join(folder, 'archive')
    const exported = await run('export', old, '--to', archive)
    console.log(JSON.stringify(exported.printed))
    const state = ['--state', join(folder, 'import.json')]
    const imported = await run('import', fresh, '--from', archive, ...state)
    expect(imported.printed.left).toEqual([])
    for (const { early, late } of [exported, imported]) {
      expect(late).toBeLessThan(Math.min(maxMemory, early + maxGrowth))
    }
    const sides = [
      ...['--from-url', `${old.origin}/v3`, '--from-app', old.appId],
      ...['--to-url', `${fresh.origin}/v3`, '--to-app', fresh.appId],
      ...['--state', join(folder, 'compare.json'), '--json'],
    ]
    const keys = { from: old.keys.full, to: fresh.keys.full }
    const { stdout, stderr } = await startMoving(['compare', ...sides], keys).ended
    if (stdout === '') throw new Error(stderr)
    const compared = JSON.parse(stdout)
    console.log(`${compared.differing} of ${compared.compared} differ`)
    expect(compared.differences.slice(0, 10)).toEqual([])
    expect(compared.compared).toBeGreaterThan(messages)
  },
  twoHours,
)
