import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page, ViewportSize } from 'playwright-core'
import { build, type Rolldown } from 'vite'
import type { PageOptions, TestPage } from '../../../react/src/testing/page.tsx'
import { openBrowser } from './example-page.ts'

const sources = fileURLToPath(new URL('../../../react/src', import.meta.url))

/** The page of the React package's tests, bundled with a React that checks what it is given. */
async function bundlePage(): Promise<string> {
  const built = await build({
    root: join(sources, 'testing'),
    configFile: false,
    logLevel: 'silent',
    mode: 'development',
    define: { 'process.env.NODE_ENV': '"development"' },
    build: {
      write: false,
      minify: false,
      lib: { entry: 'page.tsx', formats: ['iife'], name: 'tested', fileName: 'page' },
    },
  })
  // One format, so one output; not watching, so no watcher.
  const { output } = [built].flat()[0] as Rolldown.RolldownOutput
  return output.flatMap((file) => (file.type === 'chunk' ? [file.code] : [])).join('\n')
}

/** Returns the address. */
function servePage(stack: AsyncDisposableStack, code: string): Promise<string> {
  const css = readFileSync(join(sources, 'styles.css'), 'utf8')
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Chat</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <style>html,body,#root{height:100%;margin:0}</style><style>${css}</style>
    <header class="chorale"><h1 class="chorale-hidden">Chat</h1></header>
    <div id="root"></div><script src="/page.js"></script></html>`
  const server = createServer(({ url }, response) => {
    const isCode = url === '/page.js'
    response
      .setHeader('content-type', `${isCode ? 'text/javascript' : 'text/html'}; charset=utf-8`)
      .end(isCode ? code : html)
  })
  stack.defer(() => {
    server.close()
    server.closeAllConnections()
  })
  return new Promise((resolve) => {
    // A listening TCP server has an address with a port.
    server.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    )
  })
}

export interface ReactPages {
  /** A page that shows nothing yet. */
  blank(size?: ViewportSize): Promise<Page>
  /** A page that shows a chat screen. What React or the page complains of is in `complaints`. */
  open(options: PageOptions, size?: ViewportSize): Promise<Page>
  readonly complaints: string[]
}

/** Pages of one browser that show the components of `@chorale/react`. */
export async function openReactPages(stack: AsyncDisposableStack): Promise<ReactPages> {
  const site = await servePage(stack, await bundlePage())
  const browser = await openBrowser()
  stack.defer(() => browser.close())
  const complaints: string[] = []
  async function blank(viewport: ViewportSize = { width: 1200, height: 760 }): Promise<Page> {
    const page = await browser.newPage({ viewport })
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (said) => {
      if (said.type() === 'error' || said.type() === 'warning') complaints.push(said.text())
    })
    await page.goto(site)
    return page
  }
  return {
    complaints,
    blank,
    async open(options, size) {
      const page = await blank(size)
      await page.evaluate((given) => {
        const { page: tested } = globalThis as unknown as { page: TestPage }
        tested.showScreen(given)
      }, options)
      return page
    },
  }
}
