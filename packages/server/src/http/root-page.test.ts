import { afterAll, expect, test } from 'vitest'
import { errorOf, send } from '../../../testing/src/network/wire.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const get = (accept: string) => send(app.origin, { path: '/', headers: { accept } })

test('/ tells a browser where to go, and a program that nothing is there', async () => {
  const page = await get('text/html,application/xhtml+xml,*/*;q=0.8')
  expect(page.status).toBe(200)
  expect(page.headers).toMatchObject({
    'content-type': 'text/html',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    vary: expect.stringContaining('Accept'),
  })
  expect(page.text).toContain('href="/docs"')
  expect(page.text).not.toContain('/demo')
  for (const accept of ['*/*', 'application/json']) {
    const answer = await get(accept)
    expect([answer.status, errorOf(answer).code]).toEqual([404, 'ERR_API_NOT_FOUND'])
  }
})

test('a service that `start` does not run has no demo, and nobody logs in without a key', async () => {
  for (const [method, path] of [
    ['GET', '/demo'],
    ['GET', '/demo/people'],
    ['POST', '/demo/login?uid=tom'],
  ] as const) {
    const answer = await send(app.origin, { method, path })
    expect([answer.status, errorOf(answer).code], path).toEqual([404, 'ERR_API_NOT_FOUND'])
  }
})
