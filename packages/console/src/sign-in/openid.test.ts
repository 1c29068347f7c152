import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import {
  builtConsole,
  faultsOf,
  openConsolePages,
} from '../../../testing/src/network/console-browser.ts'
import { startOpenIdProvider } from '../../../testing/src/providers/openid.ts'
import { consoleUrl } from '../../../testing/src/service/console-page.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const redirectUri = `${consoleUrl}/console/sign-in/callback`
const provider = stack.use(await startOpenIdProvider(redirectUri, 'chorale', 'of the tests'))
const app = stack.use(
  await startTestApp({
    shadow: false,
    consoleFiles: await builtConsole(),
    live: {
      settings: {
        OIDC_ISSUER: provider.issuer,
        OIDC_NAME: 'Our provider',
        OIDC_CLIENT_ID: 'chorale',
        OIDC_CLIENT_SECRET: 'of the tests',
        OIDC_ROLES: 'domain:staff.example=viewer',
        CONSOLE_PASSWORDS: 'off',
        EGRESS_HTTP: 'true',
        EGRESS_ALLOW: '127.0.0.1',
      },
    },
  }),
)
const pages = await openConsolePages(stack, app)

async function signIn(page: Page, account: string): Promise<void> {
  await page.getByRole('link', { name: 'Sign in with Our provider' }).click()
  await page.locator('input[name=login]').fill(account)
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

test('a person of the provider signs in, and is back where the link led', async () => {
  const page = await pages.open('/console/account?from=link')
  await page.getByRole('link', { name: /Our provider/ }).waitFor()
  expect(await page.getByLabel('Password').count()).toBe(0)
  expect(await faultsOf(page)).toEqual([])
  await signIn(page, 'vic@staff.example')
  await page.getByText('This one').waitFor()
  expect(page.url()).toBe(`${consoleUrl}/console/account?from=link`)
})

test('who was not invited is told so on the page', async () => {
  const page = await pages.open('/console/sign-in')
  await signIn(page, 'eve@elsewhere.example')
  await page.getByRole('alert').getByText('nobody has invited you').waitFor()
  expect(new URL(page.url()).pathname).toBe('/console/sign-in')
})
