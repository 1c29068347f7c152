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
const { appId, given } = app
await given.users('ann', 'bob')
for (const text of ['free tickets', 'cheap tickets', 'good morning']) {
  await given.message('ann', 'bob', { receiverType: 'user', data: { text } })
}
const { session } = await signedIn(app, { [appId]: 'developer' })
const at = (path: string) => `/console/apps/${appId}/moderation/${path}`

test('a rule is made, seen at work in a text, tried out, changed, compared and restored', async () => {
  const page = await pages.open(at('rules'), { session })
  await page.getByRole('button', { name: 'New rule' }).click()
  await page.getByLabel('Id', { exact: true }).fill('tickets')
  await page.getByLabel('Name', { exact: true }).fill('Tickets')
  await page.getByRole('textbox', { name: 'Looks for' }).fill('free tickets')
  await page.getByLabel('Try a text').fill('I have Free Tickets here')
  await page.locator('mark', { hasText: 'Free Tickets' }).waitFor()
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('1 messages would be caught').waitFor()
  await page.locator('.matches mark', { hasText: 'free tickets' }).waitFor()
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Tickets', level: 1 }).waitFor()

  await page.getByRole('textbox', { name: 'Looks for' }).fill('cheap tickets')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('1 only as it is now in the form').waitFor()
  await page.getByText('1 only as it is in force').waitFor()
  await picture(page, 'rule')
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('td mark', { hasText: 'free tickets' }).waitFor()
  await page.getByRole('button', { name: 'Restore' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
  const value = async () =>
    (await full.getRule({ params: { ruleId: 'tickets' } })).data.conditions[0]?.value
  await expect.poll(value).toEqual(['free tickets'])
  expect(pages.complaints).toEqual([])
})

test('lists and reasons are made and deleted; a viewer sees them and can change nothing', async () => {
  const page = await pages.open(at('lists'), { session })
  await page.getByRole('button', { name: 'New list' }).click()
  await page.getByLabel('Id', { exact: true }).fill('rude')
  await page.getByLabel('Name', { exact: true }).fill('Rude words')
  await page.getByLabel('Terms', { exact: true }).fill('goose, "rotten, egg"')
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await page
    .getByRole('row', { name: /Rude words/ })
    .getByText('2 terms')
    .waitFor()
  await page.getByRole('link', { name: 'Reasons' }).click()
  await page.getByRole('button', { name: 'New reason' }).click()
  await page.getByLabel('Id', { exact: true }).fill('boring')
  await page.getByLabel('Name', { exact: true }).fill('Boring')
  await page.getByRole('button', { name: 'Create' }).click()
  await page
    .getByRole('row', { name: /Boring/ })
    .getByRole('button', { name: 'Delete' })
    .click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('row', { name: /Boring/ }).waitFor({ state: 'detached' })

  const viewer = await signedIn(app, { [appId]: 'viewer' })
  const theirs = await pages.open(at('lists'), { session: viewer.session, colorScheme: 'dark' })
  await theirs.getByRole('row', { name: /Rude words/ }).waitFor()
  expect(await theirs.getByRole('button', { name: /New|Delete|Edit/ }).count()).toBe(0)
  expect(await theirs.getByRole('link', { name: 'Review queue' }).count()).toBe(0)
  await theirs.goto(theirs.url().replace('lists', 'queue'))
  await theirs.getByText('Your role does not include Review queue').waitFor()
  expect(pages.complaints).toEqual([])
})
