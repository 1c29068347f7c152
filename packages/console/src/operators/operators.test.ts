import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { countEvents } from '../../../server/src/domain/stats/index.ts'
import { natsPrefix } from '../../../testing/src/engines/nats-prefix.ts'
import {
  builtConsole,
  faultsInAllLooks,
  openConsolePages,
} from '../../../testing/src/network/console-browser.ts'
import { signedIn } from '../../../testing/src/service/console.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
let works = false
const consoleFiles = await builtConsole()
const app = stack.use(
  await startTestApp({
    shadow: false,
    consoleFiles,
    live: {
      settings: { NATS_PREFIX: natsPrefix(), LISTENER_ATTEMPTS: '1' },
      listeners: [
        countEvents,
        {
          name: 'moody',
          idempotent: true,
          on: {
            'group.created': async () => {
              if (!works) throw new Error('The shop does not answer.')
              return undefined
            },
          },
        },
      ],
    },
  }),
)
const pages = await openConsolePages(stack, app)
const owner = await signedIn(app, { '*': 'owner' })
const full = app.as('full')

beforeAll(async () => {
  await app.given.users('ann', 'bob')
  for (let nth = 0; nth < 120; nth++) await app.given.message('ann', 'bob')
  for (const guid of ['den', 'hut']) await app.given.group(guid, { owner: 'ann' })
  await owner.calls(app.appId).createApiKey({ body: { name: 'Made by a person' } })
  await vi.waitFor(async () => {
    const { data } = await full.listUsage()
    expect(data.apps[0]?.messages).toBeGreaterThanOrEqual(120)
    expect((await full.listDeadLetters()).data).toHaveLength(2)
  }, 30_000)
})

test('the health of engines, queues and listeners is on one page', async () => {
  const page = await pages.open('/console/install/health', owner)
  // This process answers no question for reports, so that is what is wrong.
  await page.getByText('No process runs').waitFor()
  const text = String(await page.locator('#page').textContent())
  expect(text).toMatch(/PostgreSQL1\d\./)
  expect(text).toMatch(/NATS2\./)
  expect(text).toContain('Dead letters2')
  await page.getByLabel('Queues').getByText('webhook deliveries').waitFor()
  await page.getByLabel('Listeners of events').getByText('count-events').waitFor()
  expect(await faultsInAllLooks(page, 'operators-health')).toEqual([])
  expect(pages.complaints).toEqual([])
})

test('a dead letter is replayed, then all', async () => {
  const page = await pages.open('/console/install/dead-letters', owner)
  await page.getByText('The shop does not answer.').first().waitFor()
  expect(await faultsInAllLooks(page, 'operators-letters')).toEqual([])
  works = true
  await page
    .getByRole('button', { name: /^Replay \d+$/ })
    .first()
    .click()
  await page.getByText('One was replayed').waitFor()
  await page.getByRole('button', { name: 'Replay all 1' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Replay all 1' }).click()
  await page.getByText('No dead letters').waitFor()
  expect(pages.complaints).toEqual([])
})

test('usage shows the busiest app first, day by day, and who is louder than usual', async () => {
  const page = await pages.open('/console/install/usage', owner)
  await page.getByText('Louder than usual').waitFor()
  const first = page.getByRole('row').nth(1)
  expect(await first.textContent()).toContain(app.appId)
  await first.getByRole('img', { name: /on the busiest day$/ }).waitFor()
  await page.getByLabel('Days').selectOption('7')
  await expect.poll(() => first.locator('rect').count()).toBe(7)
  expect(await faultsInAllLooks(page, 'operators-usage')).toEqual([])
  expect(pages.complaints).toEqual([])
})

test('the audit log names people, is filtered by the address, and is exported', async () => {
  const page = await pages.open('/console/install/audit-log', owner)
  await page.getByLabel('Operation').fill('createApiKey')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.waitForURL(/operation=createApiKey/)
  await expect.poll(() => page.getByRole('row').count()).toBe(2)
  expect(await page.getByRole('row').nth(1).textContent()).toMatch(/Person \d+ .*createApiKey/)
  expect(await faultsInAllLooks(page, 'operators-audit')).toEqual([])
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export' }).click()
  const saved = await download
  expect(saved.suggestedFilename()).toBe('audit.ndjson')
  const lines = (await readFile(await saved.path(), 'utf8')).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).operation)).toEqual(['createApiKey'])
  const developer = await signedIn(app, { [app.appId]: 'developer' })
  const theirs = await pages.open(`/console/apps/${app.appId}/audit-log`, developer)
  await theirs.getByRole('heading', { name: 'Audit log' }).waitFor()
  await expect.poll(() => theirs.getByRole('row').count()).toBeGreaterThan(1)
  expect(await theirs.getByRole('link', { name: 'Health' }).count()).toBe(0)
  expect(pages.complaints).toEqual([])
})
