import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { buildConsole } from '../../../../tools/packages/console.ts'
import { consoleUrl } from '../service/console-page.ts'
import type { TestApp } from '../service/test-app.ts'

let built: Promise<string> | undefined

/** The console of the sources, for `startTestApp`. Built once: files in one process share it. */
export async function builtConsole(): Promise<string> {
  built ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'chorale-console-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    await buildConsole(folder)
    return folder
  })()
  return await built
}

export interface ConsolePages {
  /** What pages have complained of. */
  readonly complaints: string[]
  /** A browser of its own; with the cookie of a session, if there is one. */
  open(path: string, options?: ConsoleOptions): Promise<Page>
  /** The same, before anything is opened in it. */
  blank(options?: ConsoleOptions): Promise<Page>
}

interface ConsoleOptions extends BrowserContextOptions {
  readonly session?: string
}

/** Browsers that find the console of the app at `consoleUrl`. */
export async function openConsolePages(
  stack: AsyncDisposableStack,
  app: TestApp,
): Promise<ConsolePages> {
  const { host: asked } = new URL(consoleUrl)
  const { host } = new URL(app.managementOrigin)
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    // Root may not use the sandbox, and CI is root.
    args: ['--no-sandbox', `--host-resolver-rules=MAP ${asked} ${host}`],
  })
  stack.defer(() => browser.close())
  const complaints: string[] = []
  const blank = async ({ session, ...options }: ConsoleOptions = {}) => {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      ...options,
    })
    if (session !== undefined) {
      await context.addCookies([{ name: 'chorale', value: session, url: consoleUrl }])
    }
    const page = await context.newPage()
    page.setDefaultTimeout(15_000)
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (said) => {
      const isExpected = /status of 4\d\d/.test(said.text())
      if (said.type() === 'error' && !isExpected) complaints.push(said.text())
    })
    return page
  }
  return {
    complaints,
    blank,
    async open(path, options) {
      const page = await blank(options)
      await page.goto(consoleUrl + path)
      return page
    },
  }
}

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** What axe finds wrong in the page as it is; by these rules only. */
export async function faultsOf(page: Page, rules: readonly string[] = []): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) {
    // By the protocol of the debugger, which the policy of the page does not bind.
    const client = await page.context().newCDPSession(page)
    await client.send('Runtime.evaluate', { expression: axe })
    await client.detach()
  }
  return await page.evaluate(
    async (only) => {
      const { violations } = await (
        globalThis as unknown as { axe: typeof import('axe-core') }
      ).axe.run(only.length > 0 ? { runOnly: only } : {})
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
    },
    [...rules],
  )
}

/** What is wrong with a page as it is, in dark colors, and on a phone; a picture of each. */
export async function faultsInAllLooks(page: Page, name: string): Promise<string[]> {
  const size = page.viewportSize() ?? { width: 1280, height: 800 }
  await picture(page, name)
  const light = await faultsOf(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await picture(page, `${name}-dark`)
  const dark = await faultsOf(page, ['color-contrast'])
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 390, height: 800 })
  await picture(page, `${name}-phone`)
  const phone = await faultsOf(page)
  const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  await page.setViewportSize(size)
  return [...light, ...dark, ...phone, ...(tooWide > 0 ? [`${tooWide} pixels too wide`] : [])]
}

/** Pictures for people to look at: where `PICTURES` names a folder. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.PICTURES
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' })
}
