import { generateKeyPairSync } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import {
  builtConsole,
  faultsOf,
  openConsolePages,
  picture,
} from '../../../testing/src/network/console-browser.ts'
import { signedIn } from '../../../testing/src/service/console.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const consoleFiles = await builtConsole()
const app = stack.use(await startTestApp({ shadow: false, consoleFiles, live: { listeners: [] } }))
const pages = await openConsolePages(stack, app)
const full = app.as('full')
const { appId } = app
const { session } = await signedIn(app, { [appId]: 'developer' })
const at = (path: string) => `/console/apps/${appId}/${path}`

test('a key is shown once, and refused after it was revoked', async () => {
  const page = await pages.open(at('keys'), { session })
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Name').fill('Shop server')
  await page.getByLabel('Scope').selectOption('fullAccess')
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Create' }).click()
  const key = String(await page.locator('.secret').textContent())
  const { origin } = app
  const call = () => fetch(`${origin}/v3/users`, { headers: { appId, apikey: key } })
  expect((await call()).status).toBe(200)
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  const row = page.getByRole('row', { name: /Shop server/ })
  await row.waitFor()
  expect(await page.locator('body').textContent()).not.toContain(key)
  await picture(page, 'keys')
  expect(await faultsOf(page)).toEqual([])
  await row.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await row.waitFor({ state: 'detached' })
  expect((await call()).status).toBe(401)
})

test('settings have a meaning, are changed and go back to their defaults', async () => {
  const page = await pages.open(at('settings'), { session })
  const name = 'messages.editWindowSeconds'
  const setting = async () => (await full.listAppSettings({ params: { appId } })).data[name]
  await page.getByLabel(name, { exact: true }).fill('900')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(setting).toBe(900)
  await page.getByRole('button', { name: `Back to the default: ${name}` }).click()
  await expect.poll(setting).toBe(0)
  const history = page.getByLabel('groups.newMembersSeeHistory', { exact: true })
  await history.click()
  await expect.poll(() => history.isChecked()).toBe(false)
  expect(await faultsOf(page)).toEqual([])
})

test('a role is made, and denied a feature', async () => {
  const page = await pages.open(at('roles'), { session, colorScheme: 'dark' })
  await page.getByRole('button', { name: 'New role' }).click()
  await page.getByLabel('Id', { exact: true }).fill('guest')
  await page.getByLabel('Name', { exact: true }).fill('Guest')
  await page.getByRole('button', { name: 'Create' }).click()
  const box = page.getByLabel('guest may use createGroup')
  await box.click()
  const denied = async () =>
    (await full.listRestrictedFeatures({ params: { role: 'guest' } })).data.map(({ key }) => key)
  await expect.poll(denied).toEqual(['u.createGroup'])
  await expect.poll(() => box.isChecked()).toBe(false)
  await picture(page, 'roles')
  expect(await faultsOf(page)).toEqual([])
})

test('a webhook is made with its secret, tested, looked at and switched off', async () => {
  const page = await pages.open(at('webhooks'), { session })
  await page.getByText('No webhook yet').waitFor()
  await page.getByRole('button', { name: 'New webhook' }).click()
  await page.getByLabel('Id', { exact: true }).fill('shop')
  await page.getByLabel('Name', { exact: true }).fill('Shop')
  await page.getByLabel('Address').fill('https://shop.example.com/in')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByText(/^whsec_/).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  await page.getByRole('link', { name: 'Shop' }).click()
  await page.locator('summary', { hasText: 'message_sent' }).click()
  await page.getByLabel('group_created').check()
  await picture(page, 'triggers')
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Save triggers' }).click()
  const params = { appId, webhookId: 'shop' }
  const headers = { 'X-Webhook-Version': 2 }
  const triggers = async () =>
    (await full.listWebhookTriggers({ params, headers })).data.map(({ id }) => id).toSorted()
  await expect.poll(triggers).toEqual(['group_created', 'message_sent'])
  await page.getByRole('button', { name: 'Send a test call' }).click()
  await page.getByRole('cell', { name: 'webhook_test' }).waitFor()
  await page.getByRole('button', { name: 'Look' }).click()
  await page.locator('.payload', { hasText: '"trigger": "webhook_test"' }).waitFor()
  await picture(page, 'webhook')
  expect(await faultsOf(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Switch off' }).click()
  await page.getByRole('button', { name: 'Switch on' }).waitFor()
  expect((await full.getWebhook({ params, headers })).data.enabled).toBe(false)
})

test('push accounts are added and deleted; events are listed', async () => {
  const page = await pages.open(at('push-providers'), { session })
  await page.getByRole('button', { name: 'New FCM account' }).click()
  await page.getByLabel('Id', { exact: true }).fill('main')
  await page.getByLabel('Service account').fill('{}')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByText('This is no service account').waitFor()
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' })
  const account = { project_id: 'shop-1', client_email: 'push@shop-1.example', private_key }
  await page.getByLabel('Service account').fill(JSON.stringify(account))
  await page.getByRole('button', { name: 'Create' }).click()
  const row = page.getByRole('row', { name: /shop-1/ })
  await row.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await row.waitFor({ state: 'detached' })
  await app.given.users('ann')
  await page.getByRole('link', { name: 'Events' }).click()
  await page.getByRole('cell', { name: 'user.created' }).first().waitFor()
  expect(await faultsOf(page)).toEqual([])
  expect(pages.complaints).toEqual([])
})

test('an owner adds a person, gives them another role, and takes it away', async () => {
  const owner = await signedIn(app, { [appId]: 'owner' })
  const page = await pages.open(at('collaborators'), { session: owner.session })
  await page.getByRole('button', { name: 'Add a person' }).click()
  await page.getByLabel('E-mail address').fill('moe@example.com')
  await page.getByLabel('Role', { exact: true }).selectOption('support')
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  const role = page.getByLabel('Role of moe@example.com')
  await role.selectOption('moderator')
  const known = async () =>
    (await full.listCollaborators({ params: { appId } })).data.find(
      ({ email }) => email === 'moe@example.com',
    )?.role
  await expect.poll(known).toBe('moderator')
  await page
    .getByRole('row', { name: /moe@example.com/ })
    .getByRole('button', { name: 'Delete' })
    .click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect.poll(known).toBe(undefined)
  // Nobody changes their own role.
  expect(await page.getByLabel(`Role of ${owner.email}`).count()).toBe(0)
})

test('a viewer sees settings and no keys; nothing can be changed', async () => {
  const viewer = await signedIn(app, { [appId]: 'viewer' })
  const size = { width: 390, height: 800 }
  const page = await pages.open(at('settings'), { session: viewer.session, viewport: size })
  const box = page.getByLabel('groups.newMembersSeeHistory', { exact: true })
  await box.waitFor()
  expect(await box.isDisabled()).toBe(true)
  expect(await page.getByRole('button', { name: /default/ }).count()).toBe(0)
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(overflow).toBeLessThanOrEqual(0)
  expect(await faultsOf(page)).toEqual([])
  await page.goto(page.url().replace('settings', 'keys'))
  await page.getByText('Your role does not include API keys').waitFor()
})
