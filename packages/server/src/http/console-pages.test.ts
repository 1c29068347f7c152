import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { errorOf, send } from '../../../testing/src/network/wire.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const folder = mkdtempSync(join(tmpdir(), 'chorale-console-'))
stack.defer(() => rmSync(folder, { recursive: true, force: true }))
const files = join(folder, 'console')
mkdirSync(join(files, 'assets'), { recursive: true })
writeFileSync(join(files, 'index.html'), '<!doctype html><title>The page</title>')
writeFileSync(join(files, 'assets/index-1.js'), 'globalThis.here = true')
writeFileSync(join(files, 'assets/notes.txt'), 'a stray file')
writeFileSync(join(folder, 'secret.html'), 'a secret')
const app = stack.use(await startTestApp({ shadow: false, consoleFiles: files }))
const get = (path: string, headers: Record<string, string> = {}) =>
  send(app.managementOrigin, { path, headers })

describe('the page', () => {
  test.each([
    '/console',
    '/console/',
    '/console/apps/abc/moderation/queue?only=flagged',
    '/console/sign-in?returnTo=%2Fconsole',
    '/console/apis',
  ])('answers %s, so that a deep link works', async (path) => {
    const { status, headers, text } = await get(path)
    expect([status, text]).toEqual([200, expect.stringContaining('The page')])
    expect(headers['content-type']).toContain('text/html')
    expect(headers['cache-control']).toBe('no-cache')
  })

  test('loads from this service only, pictures from the store too, and stands in no frame (clickjacking)', async () => {
    const { headers } = await get('/console/apps')
    const policy = String(headers['content-security-policy'])
    const rules = new Map(
      policy.split('; ').map((rule) => rule.split(/ (.*)/s) as [string, string]),
    )
    expect(rules.get('default-src')).toBe("'none'")
    expect(rules.get('script-src')).toBe("'self'")
    expect(rules.get('style-src')).toBe("'self'")
    expect(rules.get('connect-src')).toBe("'self'")
    expect(rules.get('frame-ancestors')).toBe("'none'")
    expect(rules.get('base-uri')).toBe("'none'")
    expect(rules.get('form-action')).toBe("'none'")
    // Pictures of messages come from the store of the operator.
    expect(rules.get('img-src')).toBe("'self' data: http://files.localhost")
    rules.delete('img-src')
    expect([...rules.values()].join(' ')).not.toMatch(/unsafe|https?:|\*/)
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    })
  })
})

describe('files', () => {
  test('are kept by browsers for good, because their names change', async () => {
    const { status, headers, text } = await get('/console/assets/index-1.js')
    expect([status, text]).toEqual([200, 'globalThis.here = true'])
    expect(headers['content-type']).toContain('text/javascript')
    expect(headers['cache-control']).toContain('immutable')
    const etag = String(headers.etag)
    expect((await get('/console/assets/index-1.js', { 'if-none-match': etag })).status).toBe(304)
  })

  test.each([
    '/console/assets/index-2.js',
    '/console/assets/notes.txt',
    '/console/assets/',
    '/console/assets/../index.html',
    '/console/assets/..%2f..%2fsecret.html',
    '/console/assets/%2e%2e/%2e%2e/secret.html',
    '/console/assets/..%5c..%5csecret.html',
    '/console//assets/....//secret.html',
    '/console/assets%2f..%2f..%2fsecret.html',
    '/console/api/nothing',
    '/console/api',
    '/console/sign-in/nothing',
  ])('%s is an error and no page', async (path) => {
    const answer = await get(path)
    expect(answer.status, answer.text).toBeGreaterThanOrEqual(400)
    expect(answer.text).not.toMatch(/a secret|stray|The page/)
    expect(errorOf(answer).code).toMatch(/^(?:AUTH_)?ERR_/)
  })

  test.each([
    '/console/..%2fsecret.html',
    '/console/../secret.html',
    '/console/%2e%2e/secret.html',
  ])('%s is the page or an error, and no file', async (path) => {
    const { text } = await get(path)
    expect(text).not.toContain('a secret')
  })
})

test('only the listener of the management API has pages, and they take no other method', async () => {
  expect((await send(app.origin, { path: '/console' })).status).toBe(404)
  const posted = await send(app.managementOrigin, { method: 'POST', path: '/console', body: '{}' })
  expect(posted.status).toBe(404)
})
