import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())

test('the page of the API loads all it needs from the service itself', async () => {
  const read = async (path: string) => (await fetch(app.origin + path)).text()
  const text = (await read('/docs')) + (await read('/docs/start.js'))
  const loaded = [...text.matchAll(/(?:src|href|url)(?:=|: )["']([^"']+)["']/g)].map(([, to]) => to)
  expect(loaded).toEqual(['data:,', '/docs/reference.js', '/docs/start.js', '/openapi.json'])
  for (const path of ['/docs/reference.js', '/openapi.json']) {
    const response = await fetch(app.origin + path)
    expect(response.status).toBe(200)
    expect((await response.text()).length).toBeGreaterThan(1000)
  }
})
