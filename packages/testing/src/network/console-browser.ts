import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { buildConsole } from '../../../../tools/packages/console.ts'
import { consoleUrl } from '../service/console-page.ts'
import type { TestApp } from '../service/test-app.ts'

/** The console of the sources, for `startTestApp`. */
export async function builtConsole(stack: AsyncDisposableStack): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'chorale-console-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  await buildConsole(folder)
  return folder
}

export interface ConsolePages {
  /** What pages have complained of. */
  readonly complaints: string[]
  /** A browser of its own; with the cookie of a session, if there is one. */
  open(path: string, options?: ConsoleOptions): Promise<Page>
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
  return {
    complaints,
    async open(path, { session, ...options } = {}) {
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
      await page.goto(consoleUrl + path)
      return page
    },
  }
}

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** What axe finds wrong in the page as it is. */
export async function faultsOf(page: Page): Promise<string[]> {
  // By the protocol of the debugger, which the policy of the page does not bind.
  const client = await page.context().newCDPSession(page)
  await client.send('Runtime.evaluate', { expression: axe })
  await client.detach()
  return await page.evaluate(async () => {
    const { violations } = await (
      globalThis as unknown as { axe: typeof import('axe-core') }
    ).axe.run()
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  })
}

/** Pictures for people to look at: where `PICTURES` names a folder. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.PICTURES
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' })
}
