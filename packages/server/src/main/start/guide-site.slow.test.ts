import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { pages, siteFile } from '../../../../../docs/.vitepress/map.ts'
import { root } from '../../../../../tools/tree.ts'
import { openBrowser } from '../../../../testing/src/network/example-page.ts'
import { openGuidePages } from './guide-pages.ts'

test('the site has every page, is searched in a browser, and keeps to its policy', async () => {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'chorale-site-'))
  stack.defer(() => rmSync(folder, { recursive: true }))
  const program = join(root, 'node_modules/vitepress/bin/vitepress.js')
  const args = [program, 'build', 'docs', '--outDir', folder]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: root })
  // A page that fails is named, and the build goes on without it.
  expect(stdout + stderr).not.toMatch(/error/i)
  const missing = pages.map((page) => siteFile(page).replace(/\.md$/, '.html'))
  expect(missing.filter((file) => !existsSync(join(folder, file)))).toEqual([])

  const server = fastify()
  stack.defer(() => server.close())
  openGuidePages(folder).add(server)
  const address = await server.listen({ port: 0, host: '127.0.0.1' })
  const browser = await openBrowser()
  stack.defer(() => browser.close())
  const page = await browser.newPage()
  const errors: string[] = []
  page.on('pageerror', ({ message }) => errors.push(message))
  page.on('console', (line) => {
    // Browsers ask for an icon that the site does not have.
    if (line.type() === 'error' && !line.location().url.endsWith('favicon.ico')) {
      errors.push(line.text())
    }
  })
  await page.goto(`${address}/guide/`)
  await page.getByRole('link', { name: 'Receive webhooks' }).first().click()
  await page.waitForSelector('h1:has-text("Receive webhooks")')
  await page.getByRole('button', { name: /Search/ }).click()
  await page.getByPlaceholder('Search').fill('pgbouncer')
  await page.waitForSelector('.VPLocalSearchBox .result:has-text("PgBouncer")')
  expect(errors).toEqual([])
})
