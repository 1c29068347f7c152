import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, describe, expect, test, vi } from 'vitest'
import {
  cloneDatabase,
  createEmptyDatabase,
} from '../../../../../testing/src/engines/test-database.ts'
import {
  doctorFaults,
  nowhere,
  openedForFaults,
  urlWith,
} from '../../../../../testing/src/faults/doctor-faults.ts'
import { type Settings, settingsFor } from '../../../../../testing/src/processes/program.ts'
import { doctorCommand } from './doctor.ts'
import { allChecks, type Result } from './examination.ts'

vi.setConfig({ testTimeout: 120_000 })
const stack = new AsyncDisposableStack()
stack.use(openedForFaults)
afterAll(() => stack.disposeAsync())

/** The command as the program runs it, in this process: to start one for each fault takes minutes. */
async function doctor(settings: Settings, ...args: readonly string[]) {
  const lines: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(line))
  try {
    const code = await doctorCommand({ ...settings })
      .parseAsync([...args], { from: 'user' })
      .then(
        () => 0,
        () => 1,
      )
    return { code, text: lines.join('\n') }
  } finally {
    log.mockRestore()
  }
}

async function diagnose(settings: Settings, ...args: readonly string[]) {
  const { code, text } = await doctor(settings, '--json', ...args)
  const { checks } = JSON.parse(text) as { checks: Result[] }
  const of = (name: string) => checks.find(({ check }) => check === name)
  return { code, checks, of }
}

/** An install without a fault; nothing serves it. */
async function makeInstall(): Promise<Settings> {
  const settings = settingsFor(stack.use(await cloneDatabase()).url)
  await doctor(settings, '--repair')
  return settings
}

async function query(settings: Settings, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: settings.DATABASE_URL })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

const shared = await makeInstall()

test('an install without a fault passes, apart from the worker that is not there', async () => {
  const { code, checks } = await diagnose(shared)
  expect(checks.filter(({ level }) => level !== 'ok').map(({ check }) => check)).toEqual([
    'workers',
  ])
  expect(code).toBe(0)
})

test('what an operator reads is aligned: a line for each check, and one below it that says what to do', async () => {
  const { code, text } = await doctor({ ...shared, NATS_URL: await nowhere(shared.NATS_URL) })
  expect(code).toBe(1)
  const lines = text.split('\n')
  expect(lines[0]).toMatch(/^ok {8}settings {10}4 given/)
  const at = lines.findIndex((line) => /^failure {3}nats {14}NATS does not answer/.test(line))
  expect(lines[at + 1]).toMatch(/^ {27}-> Start it, or correct NATS_URL/)
  expect(text).toMatch(/^skipped {3}streams +not checked: see jetstream$/m)
})

describe('a planted fault is named with what to do', () => {
  test.each(doctorFaults)(
    '$fault',
    async ({ check, level, says, sql, plant, settings, isRepaired }) => {
      const right = sql ? await makeInstall() : shared
      if (sql?.length) await query(right, ...sql)
      await plant?.(right)
      const given =
        typeof settings === 'function' ? await settings(right) : { ...right, ...settings }
      const { code, of } = await diagnose(given)
      const { text, remedy } = of(check) ?? {}
      expect(of(check)).toMatchObject({ level })
      expect(`${text} ${remedy}`).toMatch(says)
      expect(remedy).toMatch(/\S+/)
      expect(code).toBe(level === 'failure' ? 1 : 0)
      if (!isRepaired) return
      expect((await diagnose(given, '--repair')).of(check)).toMatchObject({ level: 'repaired' })
      expect((await diagnose(given)).of(check)).toMatchObject({ level: 'ok' })
    },
  )
})

test('a clock that is off is named', async () => {
  const real = Date.now
  const ahead = vi.spyOn(Date, 'now').mockImplementation(() => real() + 90_000)
  const { of } = await diagnose(shared).finally(() => ahead.mockRestore())
  expect(of('clock')).toMatchObject({ level: 'failure', remedy: expect.stringContaining('chrony') })
})

test('a database that was never migrated is migrated by --repair', async () => {
  await using empty = await createEmptyDatabase()
  const settings = { ...shared, DATABASE_URL: empty.url }
  expect((await diagnose(settings)).of('schema')).toMatchObject({
    remedy: 'Run `chorale migrate`.',
  })
  expect((await diagnose(settings, '--repair')).of('schema')).toMatchObject({ level: 'repaired' })
})

test('rights that the role lacks are named', async () => {
  const role = `chorale_test_${randomBytes(4).toString('hex')}`
  const right = await makeInstall()
  await query(right, `create role ${role} login`)
  try {
    const settings = urlWith(right, (url) => Object.assign(url, { username: role }))
    const found = (await diagnose(settings)).of('rights')
    expect(found).toMatchObject({ level: 'failure', remedy: expect.stringContaining('Grant') })
    expect(found?.text).toContain('create in schema public')
  } finally {
    await query(right, `drop role ${role}`)
  }
})

test('docs/operate/doctor.md lists every check', () => {
  const page = readFileSync(
    new URL('../../../../../../docs/operate/doctor.md', import.meta.url),
    'utf8',
  )
  const rows = allChecks.map(({ name, looksAt }) => `| \`${name}\` | ${looksAt} |`)
  expect(page.endsWith(`${rows.join('\n')}\n`)).toBe(true)
})
