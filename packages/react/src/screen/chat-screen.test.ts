import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { makeExampleChat } from '../../../testing/src/data/example-chat.ts'
import { openReactPages } from '../../../testing/src/network/react-page.ts'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'
import type { PageOptions, TestPage } from '../testing/page.tsx'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const fixture = stack.use(await startRealtimeFixture())
const { app, tokenOf, sayIn, device } = fixture
await makeExampleChat(fixture)
const pages = await openReactPages(stack)
const options: PageOptions = {
  url: `${app.origin.replace('http', 'ws')}/v3/realtime`,
  appId: app.appId,
  authToken: await tokenOf('ann'),
  initial: { receiver: 'tea', receiverType: 'group' },
}
const main = await pages.open({ ...options, hasUploads: true })
await main.getByText('The plan').waitFor()

const takeCounts = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { page: TestPage }).page.takeRenderCounts())
/** The open conversation, while something in it is unread. */
const unreadHere = main.locator('.chorale-conversation[aria-current][data-unread]')

test('one new message renders one row', async () => {
  await main.bringToFront()
  await unreadHere.waitFor({ state: 'detached' })
  await takeCounts(main)
  await sayIn('tea', 'bob', 'one more')
  await main.getByRole('article').filter({ hasText: 'one more' }).waitFor()
  await unreadHere.waitFor({ state: 'detached' })
  const counts = await takeCounts(main)
  console.log('react: renders for one new message:', counts)
  expect(counts).toMatchObject({ MessageRow: 1, ConversationRow: expect.toSatisfy((n) => n <= 2) })
  expect(counts).not.toHaveProperty('ConversationHeader')
  expect(counts).not.toHaveProperty('Composer')
})

test('a presence change renders one badge', async () => {
  await takeCounts(main)
  const badge = main.locator('.chorale-conversation', { hasText: 'Dan' }).getByLabel('Online')
  await device('dan')
  await badge.waitFor()
  const counts = await takeCounts(main)
  console.log('react: renders for one presence change:', counts)
  expect(counts).toEqual({ PresenceBadge: 1 })
})

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** What axe finds wrong in the page as it is. */
async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return await page.evaluate(async () => {
    const { violations } = await (
      globalThis as unknown as { axe: typeof import('axe-core') }
    ).axe.run()
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  })
}

test.each([
  { theme: 'light', dir: 'ltr' },
  { theme: 'dark', dir: 'rtl', isArabic: true },
] as const)('axe finds nothing wrong with %o', async (look) => {
  const page = await pages.open({ ...options, ...look, hasUploads: true })
  await page.getByText('The plan').waitFor()
  expect(await faultsOf(page)).toEqual([])
  await page.locator('header').getByRole('button').last().click()
  await page.locator('textarea').first().pressSequentially('@')
  await page.getByRole('option').first().waitFor()
  await page.getByRole('article').nth(2).hover()
  expect(await faultsOf(page)).toEqual([])
  await page.close()
})

test('neither React nor the page complains', () => {
  expect(pages.complaints).toEqual([])
})
