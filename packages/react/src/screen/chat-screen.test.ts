import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Locator, Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { indexMessages } from '../../../server/src/domain/messages/search/search.on.ts'
import { makeExampleChat } from '../../../testing/src/data/example-chat.ts'
import { loadGroups, withQuery } from '../../../testing/src/data/many-entries.ts'
import { openReactPages } from '../../../testing/src/network/react-page.ts'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'
import type { PageOptions, TestPage } from '../testing/page.tsx'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const fixture = stack.use(await startRealtimeFixture())
const { app, full, tokenOf, sayIn, device } = fixture
app.startWorker([indexMessages])
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

/** With everything open that can be open at once. */
async function openAll(page: Page): Promise<void> {
  await page.getByRole('article').filter({ hasText: 'The plan' }).waitFor()
  await page.locator('header').getByRole('button').last().click()
  await page.locator('.chorale-member').first().waitFor()
  await page.locator('textarea').pressSequentially('@')
  await page.getByRole('option').first().waitFor()
  await page.getByRole('article').filter({ hasText: 'agenda' }).hover()
  await page.getByRole('toolbar').waitFor()
}

test('axe finds nothing wrong in light colors', async () => {
  const page = await pages.open({ ...options, theme: 'light', hasUploads: true })
  await openAll(page)
  expect(await faultsOf(page)).toEqual([])
  await page.close()
})

test('dark and from right to left, all is on the other side, and axe finds nothing', async () => {
  const page = await pages.open({ ...options, theme: 'dark', isArabic: true, dir: 'rtl' })
  await openAll(page)
  const box = async (of: Locator) => (await of.boundingBox()) ?? { x: NaN, width: NaN }
  const view = await box(page.getByRole('feed'))
  const own = page.getByRole('article').filter({ hasText: 'There is one' }).first()
  expect((await box(own.locator('.chorale-bubble'))).x - view.x).toBeLessThan(40)
  expect((await box(page.getByRole('complementary'))).x).toBeLessThan(view.x)
  expect(await faultsOf(page)).toEqual([])
  await page.close()
})

const lastText = async () => {
  const query = { affix: 'prepend', limit: 1, category: 'message' } as const
  const params = { guid: 'tea' }
  const { data } = await full.listGroupMessages({ params, onBehalfOf: 'ann', query })
  const row = data.at(-1)
  return row && 'data' in row ? row.data.text : undefined
}

test('a message is written, answered, edited and found by the keyboard only', async () => {
  const { initial: _, ...closed } = options
  const page = await pages.open(closed)
  const { keyboard } = page
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
  const tabTo = async (label: RegExp, key = 'Tab') => {
    for (let left = 25; left > 0; left--) {
      if (label.test((await focused()) ?? '')) return
      await keyboard.press(key)
    }
    throw new Error(`${key} does not reach ${label}: ${await focused()} has the focus.`)
  }
  await page.getByRole('button', { name: /Tea & Biscuits/ }).waitFor()
  await keyboard.press('Tab')
  await expect.poll(() => page.locator('.chorale-conversation:focus').count()).toBe(1)
  await keyboard.press('End')
  await keyboard.press('Home')
  await keyboard.press('Enter')
  await page.getByRole('article').filter({ hasText: 'The plan' }).waitFor()

  await tabTo(/^Write a message/)
  await keyboard.type('Hello @bo')
  await page.getByRole('option', { name: 'Bob Stone' }).waitFor()
  await keyboard.press('Enter')
  await keyboard.type('and all')
  await keyboard.press('Shift+Enter')
  await keyboard.type('a second line')
  await keyboard.press('Enter')
  await expect.poll(lastText).toBe('Hello <@uid:bob> and all\na second line')
  await page.getByRole('article').filter({ hasText: 'a second line' }).getByLabel('Sent').waitFor()

  await tabTo(/^Messages$/, 'Shift+Tab')
  await keyboard.press('ArrowUp')
  await expect.poll(focused).toMatch(/^You, .*a second line$/s)
  await keyboard.press('Enter')
  await expect.poll(focused).toBe('Add a reaction')
  await keyboard.press('Enter')
  await keyboard.press('Tab')
  await keyboard.press('Enter')
  await page.getByRole('button', { name: '👍: 1, with yours' }).waitFor()
  await expect.poll(focused).toBe('Add a reaction')
  await tabTo(/^Edit$/)
  await keyboard.press('Enter')
  await expect
    .poll(() => page.locator('textarea').inputValue())
    .toMatch(/^Hello @Bob Stone and all/)
  await keyboard.type('!')
  await keyboard.press('Enter')
  await expect.poll(lastText).toBe('Hello <@uid:bob> and all\na second line!')

  await tabTo(/^Search$/, 'Shift+Tab')
  await keyboard.press('Enter')
  await expect.poll(() => page.locator('input[type=search]:focus').count()).toBe(1)
  await keyboard.type('agenda')
  await page.getByRole('search').getByRole('button').waitFor()
  await keyboard.press('Tab')
  await keyboard.press('Enter')
  await expect.poll(focused).toMatch(/The agenda for Thursday/)
  await page.close()
})

test('text that is written by edits is shown as it comes, and told when it is whole', async () => {
  const data = (text: string) => ({ text, metadata: { streaming: true } })
  const sent = await full.sendMessage({
    onBehalfOf: 'bob',
    body: {
      receiver: 'tea',
      receiverType: 'group',
      category: 'message',
      type: 'text',
      data: data('…'),
    },
  })
  const id = 'id' in sent.data ? String(sent.data.id) : ''
  const row = main.locator(`[data-key="${id}"]`)
  await row.getByText('Writing…').waitFor()
  await takeCounts(main)
  const text = 'The answer has several words and lines. '.repeat(8).trim()
  const parts = [0.2, 0.4, 0.6, 0.8].map((share) => text.slice(0, text.length * share))
  for (const part of parts) {
    await full.editMessage({ params: { id }, onBehalfOf: 'bob', body: { data: data(part) } })
    await row.getByText(part, { exact: true }).waitFor()
  }
  const counts = await takeCounts(main)
  console.log(`react: renders for ${parts.length} edits of a text:`, counts)
  expect(counts).toMatchObject({ MessageRow: parts.length })
  expect(await row.getAttribute('aria-busy')).toBe('true')
  const told = main.getByRole('log')
  expect(await told.textContent()).not.toContain('The answer')
  await full.editMessage({ params: { id }, onBehalfOf: 'bob', body: { data: { text } } })
  await told.getByText(text).waitFor()
  expect(await row.getAttribute('aria-busy')).toBeNull()
  const end = ({ scrollHeight, scrollTop, clientHeight }: Element) =>
    scrollHeight - scrollTop - clientHeight
  await expect.poll(() => main.getByRole('feed').evaluate(end)).toBeLessThan(2)
})

test('older messages are loaded on the way up', async () => {
  await app.given.users('long-1', 'long-2')
  await withQuery(app.databaseUrl, (query) =>
    loadGroups(query, app.appId, { prefix: 'long', groups: 1, members: 2, entries: 75 }),
  )
  const page = await pages.open({
    ...options,
    authToken: await tokenOf('long-1'),
    initial: { receiver: 'long-1', receiverType: 'group' },
  })
  await page.getByText('Message number 75', { exact: true }).first().waitFor()
  await page.getByRole('feed').focus()
  for (const seen of [46, 16, 1]) {
    await page.getByRole('feed').press('Home')
    await page
      .getByRole('article')
      .filter({ hasText: `Message number ${seen}` })
      .first()
      .waitFor()
  }
  await page.getByRole('feed').press('End')
  await page.getByRole('article').filter({ hasText: 'Message number 75' }).waitFor()
  await page.close()
})

test('what is unread has a line above it, and a message that is refused can be sent again or discarded', async () => {
  const page = await pages.open({ ...options, initial: { receiver: 'cyd', receiverType: 'user' } })
  await page.getByRole('article').getByText('New messages').waitFor()
  await full.blockUsers({ params: { uid: 'cyd' }, body: { blockedUids: ['ann'] } })
  await page.locator('textarea').fill('can you hear me?')
  await page.locator('textarea').press('Enter')
  const row = page.getByRole('article').filter({ hasText: 'can you hear me?' })
  await row.getByText('Not sent').first().waitFor()
  await full.unblockUsers({ params: { uid: 'cyd' }, body: { blockedUids: ['ann'] } })
  await row.getByRole('button', { name: 'Send again' }).click()
  await row.getByLabel('Sent', { exact: true }).waitFor()
  await page.close()
})

test('a file is stored by the application, and sent with its caption', async () => {
  const file = { name: 'a b.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') }
  await main.locator('input[type=file]').setInputFiles(file)
  await main.getByLabel('Remove a b.txt').waitFor()
  await main.locator('textarea').fill('my file')
  await main.locator('textarea').press('Enter')
  await main.getByRole('article').filter({ hasText: 'my file' }).getByLabel('Sent').waitFor()
  const { data } = await full.listGroupMessages({
    params: { guid: 'tea' },
    onBehalfOf: 'bob',
    query: { type: 'file' },
  })
  expect(data.at(-1)).toMatchObject({
    type: 'file',
    data: {
      text: 'my file',
      attachments: [{ name: 'a b.txt', url: 'https://example.org/files/a%20b.txt' }],
    },
  })
})

test('neither React nor the page complains', () => {
  expect(pages.complaints).toEqual([])
})
