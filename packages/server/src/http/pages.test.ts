import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../testing/test-app.ts'

const app = await startTestApp({ twin: false })
afterAll(() => app[Symbol.asyncDispose]())

test('the page of the API loads all it needs from the service itself', async () => {
  const page = await (await fetch(`${app.origin}/docs`)).text()
  const loaded = [...page.matchAll(/(?:src|href|url)(?:=|: )["']([^"']+)["']/g)].map(([, to]) => to)
  expect(loaded).toEqual(['data:,', '/docs/reference.js', '/openapi.json'])
  for (const path of ['/docs/reference.js', '/openapi.json']) {
    const response = await fetch(app.origin + path)
    expect(response.status).toBe(200)
    expect((await response.text()).length).toBeGreaterThan(1000)
  }
})
