import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'

const run = promisify(execFile)
const reports = mkdtempSync(join(tmpdir(), 'chorale-faults-report-'))
const env = {
  ...process.env,
  FAULTS_FOLDER: '/var/tmp/chorale-faults-short',
  FAULTS_REPORTS: reports,
}
const faults = (...words: string[]) =>
  run(process.execPath, [join(import.meta.dirname, 'run.ts'), ...words], { env })

afterAll(async () => {
  await faults('down')
  rmSync(reports, { recursive: true })
})

// The short form: `npm run faults -- all` has every fault.
test('six faults on a cluster: nothing is lost, doubled, out of order or left out', async () => {
  await faults('up')
  for (const name of [
    ...['api-killed', 'gateway-killed', 'worker-killed'],
    ...['nats-leader-killed', 'switchover', 'leader-killed'],
  ]) {
    await faults('run', name, '--rate', '50', '--calm', '4').catch(({ stderr }) => {
      throw new Error(`${name}: ${stderr}`)
    })
  }
  const lines = readFileSync(join(reports, 'results.ndjson'), 'utf8').trim().split('\n')
  const results = lines.map((line) => JSON.parse(line))
  expect(results.map(({ findings }) => findings)).toEqual(results.map(() => []))
  const server = results.flatMap(({ refusals }) => Object.keys(refusals))
  expect(server.filter((name) => name.startsWith('500'))).toEqual([])
})
