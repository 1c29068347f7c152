import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { openGuidePages } from './guide-pages.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'chorale-guide-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

test('a site that was built is served at /guide/, and nothing beside it', async () => {
  const site = join(folder(), 'site')
  mkdirSync(join(site, 'operate'), { recursive: true })
  writeFileSync(join(site, 'index.html'), 'home')
  writeFileSync(join(site, 'operate/index.html'), 'operate')
  writeFileSync(join(site, '../secret.html'), 'secret')
  const pages = openGuidePages(site)
  expect(pages.links.map(({ path }) => path)).toEqual(['/guide/'])
  const server = fastify()
  pages.add(server)
  const get = async (url: string) => {
    const { statusCode, body } = await server.inject({ url })
    return statusCode === 200 ? body : statusCode
  }
  expect(await get('/guide/')).toBe('home')
  expect(await get('/guide/operate/')).toBe('operate')
  expect(await get('/guide/operate/index.html')).toBe('operate')
  expect(await get('/guide/../secret.html')).toBe(404)
  expect(await get('/guide/%2e%2e/secret.html')).toBe(404)
})

test('where no site was built there is no link to it', () => {
  expect(openGuidePages(folder()).links).toEqual([])
})
