import { afterAll, expect, test } from 'vitest'
import { openCases } from '../../../server/src/domain/rules/cases/index.ts'
import { bring } from '../../../testing/src/files/bring.ts'
import { photoOf } from '../../../testing/src/files/photo.ts'
import {
  builtConsole,
  faultsOf,
  openConsolePages,
  picture,
} from '../../../testing/src/network/console-browser.ts'
import { startS3Server } from '../../../testing/src/providers/s3-server.ts'
import { signedIn } from '../../../testing/src/service/console.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const consoleFiles = await builtConsole()
const s3 = stack.use(await startS3Server())
const settings = { ...s3.settings, FILES_CHECK: 'on', FILES_CHECK_PROCESSES: '1' }
const app = stack.use(
  await startTestApp({ shadow: false, consoleFiles, live: { listeners: [openCases], settings } }),
)
const pages = await openConsolePages(stack, app)
const full = app.as('full')
const { appId, given } = app
await given.users('ann', 'bob', 'cid')
await given.group('tea', { owner: 'bob', members: { participants: ['ann', 'cid'] } })
await full.createRule({
  body: { id: 'no-spam', name: 'No spam', conditions: [{ value: 'cheap watches' }] },
})

const say = (text: string) => given.message('ann', 'tea', { receiverType: 'group', data: { text } })

async function fill(count: number): Promise<void> {
  const before = (await full.listBlockedMessages({})).data.length
  for (let i = 0; i < count; i++) {
    const text = i % 5 === 0 ? `I sell cheap watches ${i}` : `Look at this, number ${i}`
    const { id } = await say(text)
    if (i % 5 === 0) continue
    const body = { reasonId: 'spam', remark: 'Again' }
    await full.flagMessage({ params: { id }, onBehalfOf: 'cid', body })
  }
  const wanted = before + Math.ceil(count / 5)
  const query = { limit: 100 }
  await expect
    .poll(async () => (await full.listBlockedMessages({ query })).data.length)
    .toBe(wanted)
}

const moderator = async () => (await signedIn(app, { [appId]: 'moderator' })).session
const path = `/console/apps/${appId}/moderation/queue`
const open = async (session: string, options = {}) => {
  const page = await pages.open(path, { session, ...options })
  await page.getByRole('list', { name: 'Messages' }).waitFor()
  return page
}
const waiting = async () => {
  const query = { limit: 100 }
  const blocked = await full.listBlockedMessages({ query })
  return blocked.data.length + (await full.listFlaggedMessages({ query })).data.length
}

test('a moderator clears 50 messages with the keyboard alone', async () => {
  await say('Good morning')
  await fill(50)
  const page = await open(await moderator())
  await page.getByText('50 waiting').waitFor()
  // The words that matched, the rule, what was said before, and who said it.
  await page.locator('mark', { hasText: 'cheap watches' }).waitFor()
  await page.getByRole('article').getByText('No spam').waitFor()
  await page.getByText('Good morning').first().waitFor()
  await page.getByText('Of the last 100 decisions').waitFor()
  await picture(page, 'queue')
  expect(await faultsOf(page)).toEqual([])

  const { keyboard } = page
  // Taken back, it is there again.
  const first = page.locator('.case-list li').first()
  const text = await first.textContent()
  await keyboard.press('b')
  await page.getByRole('status').getByText('Blocked').waitFor()
  await keyboard.press('u')
  await expect.poll(() => first.textContent()).toBe(text)
  // Three at once.
  for (let i = 0; i < 3; i++) {
    await keyboard.press('Space')
    await keyboard.press('ArrowDown')
  }
  await page.getByText('3 selected').waitFor()
  await keyboard.press('a')
  await page.getByText('Approved (3)').waitFor()
  for (let left = 47; left > 0; left--) {
    await page.locator('.case-list [aria-current]').waitFor()
    await keyboard.press(left % 2 === 0 ? 'a' : 'b')
  }
  await page.getByText('Nothing is waiting').waitFor()
  await expect.poll(waiting).toBe(0)
  expect(await page.getByRole('alert').count()).toBe(0)
  const { data } = await full.listReviewedMessages({ query: { limit: 100 } })
  expect(data.length).toBe(50)
  expect(pages.complaints).toEqual([])
  await page.context().close()
})

test('two moderators share the queue: nobody decides what the other has', async () => {
  await fill(30)
  const [one, two] = [await open(await moderator()), await open(await moderator())]
  const shown = (page: typeof one) =>
    page.locator('.case-list li').evaluateAll((all) => all.map((row) => row.textContent))
  await expect.poll(async () => (await shown(two)).length).toBe(10)
  const theirs = await shown(two)
  expect((await shown(one)).filter((text) => theirs.includes(text))).toEqual([])
  const clear = async (page: typeof one) => {
    while ((await page.getByText('Nothing is waiting').count()) === 0) {
      if ((await page.locator('.case-list [aria-current]').count()) > 0)
        await page.keyboard.press('b')
      else await page.waitForTimeout(50)
    }
  }
  await Promise.all([clear(one), clear(two)])
  await expect.poll(waiting).toBe(0)
  for (const page of [one, two]) expect(await page.getByRole('alert').count()).toBe(0)
  const linesOf = async (operation: string) =>
    (await full.listAuditLog({ query: { appId, operation, limit: 100 } })).data
  const lines = [
    ...(await linesOf('reviewFlaggedMessage')),
    ...(await linesOf('reviewBlockedMessage')),
  ]
  expect(lines.length).toBe(80)
  const ids = lines.map(({ input }) => JSON.stringify(Object(input).params))
  expect(new Set(ids).size).toBe(ids.length)
  for (const page of [one, two]) await page.context().close()
})

test('a ban goes with the decision; in dark colors on a phone axe finds nothing', async () => {
  await fill(6)
  const page = await open(await moderator(), {
    viewport: { width: 390, height: 800 },
    colorScheme: 'dark',
  })
  await page.getByText('Of the last 100 decisions').waitFor()
  await picture(page, 'queue-phone-dark')
  expect(await faultsOf(page)).toEqual([])
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(overflow).toBeLessThanOrEqual(0)
  await page.keyboard.press('n')
  await page.getByText('sender banned').waitFor()
  const banned = async () => (await full.listBannedUsers({ params: { guid: 'tea' } })).data.length
  await expect.poll(banned).toBe(1)
})

test('a moderator sees the pictures of a message, and a link to every file', async () => {
  const bytes = await photoOf(1600, 900)
  const body = { name: 'cat.jpg', size: bytes.length, mimeType: 'image/jpeg' }
  const { data: upload } = await full.createUpload({ onBehalfOf: 'bob', body })
  const { uploadId } = upload
  if (upload.put) await bring(app, upload.put, bytes)
  await full.completeUpload({ params: { uploadId } })
  const linked = {
    url: 'https://elsewhere.example/dog.jpg',
    name: 'dog.jpg',
    mimeType: 'image/jpeg',
  }
  const { id } = await given.message('bob', 'tea', {
    receiverType: 'group',
    type: 'image',
    data: { text: 'Our cat', attachments: [{ uploadId }, linked] },
  })
  const state = async () => (await full.getUpload({ params: { uploadId } })).data.state
  await expect.poll(state, { timeout: 30_000 }).toBe('ready')
  await full.flagMessage({ params: { id }, onBehalfOf: 'cid', body: { reasonId: 'spam' } })
  const page = await open(await moderator())
  await page.locator('.case-list button', { hasText: 'Our cat' }).click()
  const files = page.locator('.case-message .attachments')
  const shown = files.locator('img')
  await shown.waitFor()
  const widthOf = () => shown.evaluate((img: HTMLImageElement) => img.naturalWidth)
  await expect.poll(widthOf).toBe(480)
  expect(await files.getByRole('link').allTextContents()).toEqual(['cat.jpg', 'dog.jpg'])
  await picture(page, 'queue-picture')
  expect(await faultsOf(page)).toEqual([])
  expect(pages.complaints).toEqual([])
  await page.context().close()
})
