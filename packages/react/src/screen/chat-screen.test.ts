import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Locator, Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { indexMessages } from '../../../server/src/domain/messages/search/search.on.ts'
import { makeExampleChat } from '../../../testing/src/data/example-chat.ts'
import { loadGroups, withQuery } from '../../../testing/src/data/many-entries.ts'
import { openReactPages } from '../../../testing/src/network/react-page.ts'
import { startTcpProxy } from '../../../testing/src/network/tcp-proxy.ts'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'
import { type SlotLayer, slotsIn } from '../testing/marked-slots.tsx'
import type { PageOptions, TestPage } from '../testing/page.tsx'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const fixture = stack.use(await startRealtimeFixture())
const { app, full, tokenOf, say, sayIn, device } = fixture
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
/** Waits until what went before renders nothing any more. */
const quiet = (page: Page) =>
  expect.poll(() => takeCounts(page), { interval: 300, timeout: 15_000 }).toEqual({})
const write = async (where: Page | Locator, text: string) => {
  await where.getByRole('textbox').fill(text)
  await where.getByRole('textbox').press('Enter')
}
/** The open conversation, while something in it is unread. */
const unreadHere = main.locator('.chorale-conversation[aria-current][data-unread]')

test('one new message renders one row', async () => {
  await main.bringToFront()
  await unreadHere.waitFor({ state: 'detached' })
  await quiet(main)
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
  await main.waitForFunction(() => {
    const { chat } = (globalThis as unknown as { page: TestPage }).page
    return ['bob', 'cyd', 'dan'].every((uid) => chat?.presence(uid).getSnapshot())
  })
  await quiet(main)
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
  const first = page.getByText('Message number 1', { exact: true })
  // Home leads to the first row of those that are loaded; what is loaded then is above it.
  const isFirstShown = async () => {
    await page.getByRole('feed').press('Home')
    return await first.isVisible()
  }
  await expect.poll(isFirstShown).toBe(true)
  await page.getByRole('feed').press('End')
  await page.getByRole('article').filter({ hasText: 'Message number 75' }).waitFor()
  await page.close()
})

test('what is unread has a line above it, and a message that is refused can be sent again or discarded', async () => {
  const page = await pages.open({ ...options, initial: { receiver: 'cyd', receiverType: 'user' } })
  await page.getByRole('article').getByText('New messages').waitFor()
  await full.blockUsers({ params: { uid: 'cyd' }, body: { blockedUids: ['ann'] } })
  await write(page, 'can you hear me?')
  const row = page.getByRole('article').filter({ hasText: 'can you hear me?' })
  await row.getByText('Not sent').first().waitFor()
  await full.unblockUsers({ params: { uid: 'cyd' }, body: { blockedUids: ['ann'] } })
  await row.getByRole('button', { name: 'Send again' }).click()
  await row.getByLabel('Sent', { exact: true }).waitFor()

  await full.blockUsers({ params: { uid: 'cyd' }, body: { blockedUids: ['ann'] } })
  await write(page, 'nobody will read this')
  const refused = page.getByRole('article').filter({ hasText: 'nobody will read this' })
  await refused.getByRole('button', { name: 'Discard' }).click()
  await refused.waitFor({ state: 'detached' })
  await full.unblockUsers({ params: { uid: 'cyd' }, body: { blockedUids: ['ann'] } })
  // Nor is it sent with the next one.
  await write(page, 'the next one')
  await page.getByRole('article').filter({ hasText: 'the next one' }).getByLabel('Sent').waitFor()
  expect(await refused.count()).toBe(0)
  await page.close()
})

test('who types is named until they send', async () => {
  const bob = await pages.open({ ...options, authToken: await tokenOf('bob') })
  const typing = main.getByRole('status').filter({ hasText: 'Bob Stone is typing…' })
  await bob.getByRole('textbox').pressSequentially('I think')
  // What is typed before bob is connected is told to nobody.
  const typeOn = async () => {
    await bob.getByRole('textbox').press('.')
    return await typing.isVisible()
  }
  await expect.poll(typeOn, { timeout: 30_000, interval: 200 }).toBe(true)
  await bob.getByRole('textbox').press('Enter')
  await main.getByRole('article').filter({ hasText: 'I think' }).waitFor()
  await typing.waitFor({ state: 'detached' })
  await bob.close()
})

test('a reply is written in a thread, and counted at the message', async () => {
  const parent = await sayIn('tea', 'cyd', 'Who brings the cups?')
  const row = main.locator(`[data-key="${parent}"]`)
  await row.hover()
  await row.getByRole('button', { name: 'Reply in a thread' }).click()
  const thread = main.getByRole('complementary', { name: 'Thread' })
  await write(thread, 'I do')
  await thread.getByRole('article').filter({ hasText: 'I do' }).getByLabel('Sent').waitFor()
  await row.getByRole('button', { name: '1 reply' }).waitFor()
  const inMain = main.getByRole('feed', { name: 'Messages' }).getByText('I do', { exact: true })
  expect(await inMain.count()).toBe(0)
  const { data } = await full.listReplies({ params: { id: parent }, onBehalfOf: 'bob' })
  expect(data).toMatchObject([{ parentId: parent, sender: 'ann', data: { text: 'I do' } }])
  await thread.getByRole('button', { name: 'Close' }).click()
})

test('a lost connection is said until there is another', async () => {
  const network = stack.use(await startTcpProxy(app.origin))
  const url = new URL('/v3/realtime', network.url.replace('http', 'ws')).href
  const page = await pages.open({ ...options, url })
  const banner = page.locator('.chorale-connection')
  const isShown = (text: RegExp) => expect.poll(() => banner.textContent()).toMatch(text)
  await page.getByRole('article').first().waitFor()
  await isShown(/^$/)
  await network.close()
  await isShown(/^(No connection. Trying again|Connecting)…$/)
  await network.open()
  await isShown(/^$/)
  await page.close()
})

test('on a phone the list and the conversation are shown one at a time', async () => {
  const { initial: _, ...closed } = options
  const page = await pages.open(closed, { width: 390, height: 780 })
  const list = page.getByRole('navigation', { name: 'Conversations' })
  const [conversation, back] = [page.getByRole('feed'), page.getByRole('button', { name: 'Back' })]
  const widthOf = async (of: Locator) => (await of.boundingBox())?.width
  await list.getByRole('button', { name: /Tea & Biscuits/ }).click()
  await conversation.waitFor()
  expect(await list.isVisible()).toBe(false)
  expect(await widthOf(conversation)).toBe(390)
  await back.click()
  await list.waitFor()
  expect(await widthOf(list)).toBe(390)
  expect(await conversation.count()).toBe(0)
  await page.close()
  // Beside each other they need no way back.
  expect(await main.getByRole('button', { name: 'Back' }).count()).toBe(0)
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

const showsMarks = (page: Page, layer: SlotLayer) => {
  const marked = page.locator('[data-slot]')
  const names = () => marked.evaluateAll((all) => all.map((one) => one.getAttribute('data-slot')))
  return expect.poll(async () => new Set(await names())).toEqual(new Set(slotsIn(layer)))
}

test('an application can replace each slot', async () => {
  const custom = { category: 'custom', type: 'poll', data: { customData: { votes: 3 } } } as const
  const body = { receiver: 'tea', receiverType: 'group', ...custom } as const
  await full.sendMessage({ onBehalfOf: 'ann', body })
  await say('ann', 'dan', 'Until Monday')
  const authToken = await tokenOf('dan')
  const { initial: _, ...closed } = { ...options, authToken }

  const inner = await pages.open({ ...options, authToken, marked: 'inner' })
  await inner.getByRole('button', { name: 'Members' }).click()
  await inner.locator('textarea').pressSequentially('@')
  await inner.locator('article:has([data-slot=QuotedMessage])').first().hover()
  await showsMarks(inner, 'inner')
  const middle = await pages.open({ ...options, authToken, marked: 'middle' })
  await middle.getByRole('button', { name: 'Search' }).click()
  await middle.getByRole('searchbox').fill('agenda')
  await showsMarks(middle, 'middle')
  const outer = await pages.open({ ...options, authToken, marked: 'outer' })
  await showsMarks(outer, 'outer')
  const none = await pages.open({ ...closed, marked: 'closed' })
  await showsMarks(none, 'closed')
  for (const page of [inner, middle, outer, none]) await page.close()
})

test('neither React nor the page complains', () => {
  // The browser reports each connection that fails.
  expect(pages.complaints.filter((text) => !text.startsWith('WebSocket connection'))).toEqual([])
})
