import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { notifyUsers } from '../../../server/src/domain/notifications/index.ts'
import {
  builtConsole,
  faultsInAllLooks,
  openConsolePages,
} from '../../../testing/src/network/console-browser.ts'
import { startPushFixture } from '../../../testing/src/notifications/push-fixture.ts'
import { signedIn } from '../../../testing/src/service/console.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const consoleFiles = await builtConsole()
const fixture = stack.use(await startPushFixture({ consoleFiles }))
const { app, full } = fixture
app.startWorker([notifyUsers])
const pages = await openConsolePages(stack, app)
const support = await signedIn(app, { [app.appId]: 'support' })
const base = `/console/apps/${app.appId}/support`
const sent: string[] = []

async function say(from: string, receiver: string, text: string): Promise<string> {
  const body = { receiver, receiverType: 'user', type: 'text', data: { text } } as const
  const { data } = await full.sendMessage({ onBehalfOf: from, body })
  return 'id' in data ? data.id : ''
}

beforeAll(async () => {
  await fixture.useGoogle('google')
  const people = { ann: 'Ann Lee', bob: 'Bob Stone', cleo: 'Cleo Roe' }
  for (const [uid, name] of Object.entries(people)) await full.createUser({ body: { uid, name } })
  await full.updateContactDetails({ onBehalfOf: 'bob', body: { email: 'bob@shop.example' } })
  await fixture.android('bob')
  await app.given.group('den', { owner: 'ann' })
  await full.addMembers({ params: { guid: 'den' }, body: { participants: ['bob'] } })
  await full.blockUsers({ params: { uid: 'bob' }, body: { blockedUids: ['cleo'] } })
  for (let nth = 0; nth < 60; nth++) sent.push(await say('ann', 'bob', `Message ${nth}`))
  await vi.waitFor(async () => {
    const { data } = await full.getSupportedUser({ params: { uid: 'bob' } })
    // The newest is planned, and none of those that are shown waits.
    expect(data.pushes[0]?.messageId).toBe(sent.at(-1))
    expect(data.pushes.filter(({ status }) => status === 'sent')).toHaveLength(20)
  }, 30_000)
})

test('support finds a user by e-mail address, and sees devices, groups, blocks and pushes', async () => {
  const page = await pages.open(`${base}/users`, support)
  await page.getByLabel('Uid, name or e-mail').fill('bob@sh')
  await page.getByRole('link', { name: 'Bob Stone' }).waitFor()
  expect(await faultsInAllLooks(page, 'support-found')).toEqual([])
  await page.getByRole('link', { name: 'Bob Stone' }).click()
  await page.getByRole('heading', { name: 'Bob Stone' }).waitFor()
  const rowIn = (table: string) => page.getByLabel(table).getByRole('row').nth(1)
  const textOf = async (table: string) => String(await rowIn(table).textContent())
  expect(await textOf('Devices for push')).toContain('fcm_android')
  expect(await textOf('Groups')).toContain('den')
  expect(await textOf('Blocks')).toContain('Cleo RoeBlocked by this user')
  expect(await textOf('Conversations')).toContain('Ann Lee')
  expect(await textOf('Last notifications')).toContain('Sent')
  expect(await faultsInAllLooks(page, 'support-user')).toEqual([])
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByText('Not signed in anywhere').waitFor()
  expect(pages.complaints).toEqual([])
})

test('a conversation is read page by page, and the audit log knows by whom', async () => {
  const page = await pages.open(`${base}/users/bob`, support)
  await page.getByLabel('Conversations').getByRole('link', { name: 'Ann Lee' }).click()
  const messages = page.getByLabel('Messages', { exact: true }).getByRole('listitem')
  await expect.poll(() => messages.count()).toBe(50)
  expect(await messages.last().textContent()).toContain('Message 59')
  expect(await faultsInAllLooks(page, 'support-conversation')).toEqual([])
  await page.getByRole('button', { name: 'Older messages' }).click()
  await expect.poll(() => messages.count()).toBe(60)
  expect(await messages.first().textContent()).toContain('Message 0')
  const query = { collaboratorId: support.id, operation: 'listMessages' }
  const { data } = await full.listAuditLog({ query })
  expect(data).toHaveLength(2)
  expect(pages.complaints).toEqual([])
})

test('a timeline tells of a push that came, and why another did not', async () => {
  const page = await pages.open(`${base}/conversations/ann_user_bob`, support)
  await page.getByRole('link', { name: `Timeline of message ${sent.at(-1)}` }).click()
  await page.getByText('The provider has taken it.').first().waitFor()
  expect(await faultsInAllLooks(page, 'support-timeline')).toEqual([])
  const quiet = await say('bob', 'ann', 'Anybody?')
  await page.getByLabel('Id of the message').fill(quiet)
  await page.getByRole('button', { name: 'Show it' }).click()
  await page.getByText('Not pushed').waitFor()
  await page.getByText('NO_DEVICE').waitFor()
  expect(await page.getByText('Anybody?').count()).toBe(0)
  expect(pages.complaints).toEqual([])
})

test('support answers as the app, and follows the message', async () => {
  const page = await pages.open(`${base}/users/bob`, support)
  await page.locator('.page-head').getByRole('link', { name: 'Send as the app' }).click()
  await page.getByLabel('Text').fill('We have looked into it.')
  expect(await faultsInAllLooks(page, 'support-send')).toEqual([])
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('link', { name: /^Timeline of/ }).click()
  await page.getByRole('link', { name: 'app_system', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Show it' }).waitFor()
  expect(pages.complaints).toEqual([])
})

test('a developer sends a test push, and sees what the provider has answered', async () => {
  await fixture.android('cleo')
  const developer = await signedIn(app, { [app.appId]: 'developer' })
  const page = await pages.open(`/console/apps/${app.appId}/push-providers`, developer)
  const account = page.getByRole('row', { name: /google/ })
  await account.getByRole('button', { name: 'Test' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Uid').fill('cleo')
  await dialog.getByRole('button', { name: 'Send a test push' }).click()
  await dialog.getByRole('cell', { name: 'Accepted' }).waitFor()
  expect(await faultsInAllLooks(page, 'push-test')).toEqual([])
  fixture.google.server.fail('/v1/', { status: 403, body: { error: { message: 'Not yours.' } } })
  await dialog.getByRole('button', { name: 'Send a test push' }).click()
  await dialog.getByRole('cell', { name: 'Refused' }).waitFor()
  expect(pages.complaints).toEqual([])
})

test('a viewer is told which permission is missing', async () => {
  const viewer = await signedIn(app, { [app.appId]: 'viewer' })
  const page = await pages.open(`${base}/users/bob`, viewer)
  await page.getByText('(logs.read)').waitFor()
})
