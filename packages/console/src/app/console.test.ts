import type { Page } from 'playwright-core'
import decodeQR from 'qr/decode.js'
import { afterAll, expect, test } from 'vitest'
import { hashPassword, insertPerson } from '../../../server/src/domain/apps/collaborators/index.ts'
import { openPasswords } from '../../../server/src/vault/passwords.ts'
import {
  builtConsole,
  faultsOf,
  openConsolePages,
  picture,
} from '../../../testing/src/network/console-browser.ts'
import { codeShown } from '../../../testing/src/service/authenticator.ts'
import { signedIn } from '../../../testing/src/service/console.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
let now = Math.floor(Date.now() / 1000)
const consoleFiles = await builtConsole()
const app = stack.use(await startTestApp({ shadow: false, clock: () => now, consoleFiles }))
const other = await app.anotherApp()
const pages = await openConsolePages(stack, app)
const password = 'correct horse battery'

async function newOwner(name: string): Promise<string> {
  const passwordHash = await hashPassword(openPasswords(1), password)
  const email = `${name}@example.com`
  await insertPerson(app, { email, name, role: 'owner', passwordHash, createdAt: now })
  return email
}

/** What a camera reads. */
function scanned(path: string): string {
  const dark = [...path.matchAll(/M(\d+) (\d+)/g)].map(
    ([, x, y]) => [Number(x), Number(y)] as const,
  )
  const [border, scale] = [4, 4]
  const modules = Math.max(...dark.flat()) + 1 + border
  const width = modules * scale
  const data = new Uint8Array(width * width * 4).fill(255)
  for (const [x, y] of dark) {
    for (let nth = 0; nth < scale * scale; nth++) {
      const row = y * scale + Math.floor(nth / scale)
      const at = (row * width + x * scale + (nth % scale)) * 4
      data.fill(0, at, at + 3)
    }
  }
  return decodeQR({ data, width, height: width })
}

async function fillIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

test('a person signs in, sets up a second factor, and sees the apps; next time a code is asked for', async () => {
  const email = await newOwner('ada')
  const page = await pages.open(`/console/apps/${app.appId}`)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await picture(page, 'sign-in')
  expect(await faultsOf(page)).toEqual([])
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').getByText('is wrong').waitFor()
  await fillIn(page, email)

  await page.getByRole('button', { name: 'Show the key' }).click()
  const secret = String(await page.locator('.secret').textContent()).replaceAll(' ', '')
  const svg = page.getByRole('img', { name: 'QR code of the key' })
  expect(scanned(String(await svg.locator('path').getAttribute('d')))).toContain(`secret=${secret}`)
  await picture(page, 'enrol')
  expect(await faultsOf(page)).toEqual([])
  await page.getByLabel('Code of six digits').fill(codeShown(secret, now))
  await page.getByRole('button', { name: 'Switch it on' }).click()
  await expect.poll(() => page.locator('.codes li').count()).toBe(10)
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'I have kept them' }).click()
  // Where the link led before anybody was signed in.
  await page.getByRole('heading', { name: 'Test', level: 1 }).waitFor()
  expect(new URL(page.url()).pathname).toBe(`/console/apps/${app.appId}`)

  await page.getByRole('link', { name: 'Account of ada' }).click()
  await page.getByText('This one').waitFor()
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Sign out' }).click()
  now += 30
  await fillIn(page, email)
  const code = page.getByLabel('Code of your authenticator app')
  await code.fill(codeShown(secret, now))
  await code.press('Enter')
  await page.getByRole('cell', { name: other.appId }).waitFor()
  await picture(page, 'apps')
  expect(pages.complaints).toEqual([])
})

test('a session that has ended leads to the sign-in, and back to where one was', async () => {
  const email = await newOwner('grace')
  const { session } = await signedIn(app, { '*': 'owner' }, now)
  const page = await pages.open('/console/account?from=link', { session })
  await page.getByText('This one').waitFor()
  // Nobody was there for two hours.
  now += 7200
  const endOthers = page.getByRole('button', { name: 'End all others' })
  await endOthers.click()
  await endOthers.last().click()
  await page.getByText('Sign in to go on where you were.').waitFor()
  await page.context().clearCookies()
  await fillIn(page, email)
  await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor()
  expect(page.url()).toMatch(/\/console\/account\?from=link$/)
})

test('an address outside of the console is not followed after the sign-in', async () => {
  const email = await newOwner('mary')
  const page = await pages.open('/console/sign-in?returnTo=https%3A%2F%2Fevil.example%2Fconsole')
  await fillIn(page, email)
  await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/console/')
})

test('an owner makes an app; a moderator sees only their own app and none of its keys', async () => {
  const { session } = await signedIn(app, { '*': 'owner' }, now)
  const page = await pages.open('/console', { session })
  await page.getByRole('button', { name: 'New app' }).click()
  expect(await faultsOf(page)).toEqual([])
  await page.getByRole('textbox', { name: 'Name' }).fill('Tea house')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'Tea house' }).waitFor()
  await page.getByLabel('App', { exact: true }).selectOption(app.appId)
  await page.getByRole('heading', { name: 'Test', level: 1 }).waitFor()

  const moderator = await signedIn(app, { [app.appId]: 'moderator' }, now)
  const theirs = await pages.open('/console', { session: moderator.session })
  await theirs.getByRole('cell', { name: app.appId }).waitFor()
  expect(await theirs.getByRole('row').count()).toBe(2)
  expect(await theirs.getByRole('button', { name: 'New app' }).count()).toBe(0)
  await theirs.goto(`${theirs.url()}/apps/${other.appId}`)
  await theirs.getByText('in which you have a role').waitFor()
})

test.each([
  ['light', 1280],
  ['dark', 1280],
  ['dark', 390],
] as const)(
  'in %s colors, %i pixels wide, axe finds nothing and nothing is cut off',
  async (scheme, width) => {
    const { session } = await signedIn(app, { '*': 'owner' }, now)
    const size = { width, height: 800 }
    const page = await pages.open('/console', { session, viewport: size, colorScheme: scheme })
    await page.getByRole('cell', { name: other.appId }).waitFor()
    await picture(page, `apps-${scheme}-${width}`)
    expect(await faultsOf(page)).toEqual([])
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(await overflow()).toBeLessThanOrEqual(0)
    if (width > 500) return
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('navigation').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await picture(page, `menu-${scheme}-${width}`)
    await page.getByRole('link', { name: 'Apps' }).click()
    expect(pages.complaints).toEqual([])
  },
)

test('a page that does not exist says so, and the service when it is away', async () => {
  const { session } = await signedIn(app, { '*': 'owner' }, now)
  const page = await pages.open('/console/nothing/here', { session })
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await page.context().setOffline(true)
  await page.getByRole('link', { name: 'Account of' }).click()
  await page.getByText('The service does not answer').waitFor()
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('This one').waitFor()
})
