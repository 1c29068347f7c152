import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type * as sdk from '@chorale/sdk'
import { afterAll, expect, test } from 'vitest'
import { bundle } from '../../../../sdk/src/testing/bundle.ts'
import { openBrowser } from '../../../../testing/src/network/example-page.ts'
import { startSlowNetwork } from '../../../../testing/src/network/slow-network.ts'
import { seeded } from '../../../../testing/src/seeded.ts'
import { startRealtimeFixture } from '../../../../testing/src/service/realtime-fixture.ts'

declare const chorale: typeof sdk

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
// Addresses of files have a port that is known before the service has one.
const network = stack.use(
  await startSlowNetwork({
    bytesPerSecond: 8_000_000,
    cutAfterBytes: Number.MAX_SAFE_INTEGER,
    random: seeded('browser'),
  }),
)
const fixture = stack.use(await startRealtimeFixture({ FILES_URL: network.url }))
const { app } = fixture
network.lead(app.origin)
await app.given.users('ann', 'bob')

async function servePage(): Promise<string> {
  const server = createServer((_, answer) => {
    answer.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>x</title>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stack.defer(() => void server.close())
  // A listening server has a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a page of another site uploads, pauses, resumes and sends a file', async () => {
  const { code } = await bundle('*', 'iife')
  const browser = await openBrowser()
  stack.defer(() => browser.close())
  const page = await browser.newPage()
  await page.goto(await servePage())
  await page.addScriptTag({ content: `${code}; window.chorale = chorale` })
  const bytes = randomBytes(3_000_000)
  const given = {
    appId: app.appId,
    origin: app.origin,
    authToken: await fixture.tokenOf('ann'),
    base64: bytes.toString('base64'),
  }
  const seen = await page.evaluate(async ({ origin, appId, authToken, base64 }) => {
    const content = await (await fetch(`data:image/png;base64,${base64}`)).blob()
    const file = new File([content], 'cat.png', { type: 'image/png' })
    const told: number[] = []
    const calls = chorale.deviceClient({ baseUrl: `${origin}/v3`, appId, authToken })
    const under = chorale.upload(calls, file, {
      partsAtOnce: 1,
      onProgress: ({ sent }) => {
        told.push(sent)
        if (told.length === 2) under.pause()
      },
    })
    while (under.state === 'running') await new Promise((resolve) => setTimeout(resolve, 10))
    const paused = under.state
    under.resume()
    const { uploadId } = await under.done
    const chat = chorale.createChat({
      url: `${origin.replace('http', 'ws')}/v3/realtime`,
      appId,
      authToken,
      files: chorale.fileUploads(),
    })
    const bob = chat.conversation({ receiver: 'bob', receiverType: 'user' })
    const { stored } = bob.send({ type: 'image', text: 'look', files: [file] })
    const { data } = await stored
    const url = data.attachments?.[0]?.url ?? ''
    const shown = await (await fetch(url)).arrayBuffer()
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', shown))
    return { uploadId, paused, told, hash: [...hash], name: data.attachments?.[0]?.name }
  }, given)
  expect(seen.paused).toBe('paused')
  expect(seen.name).toBe('cat.png')
  expect(seen.told.at(-1)).toBe(bytes.length)
  // More often than parts come: the browser tells of what is under way.
  expect(seen.told.length).toBeGreaterThan(6)
  expect(Buffer.from(seen.hash).toString('hex')).toBe(
    createHash('sha256').update(bytes).digest('hex'),
  )
  const { data } = await fixture.full.getUpload({ params: { uploadId: seen.uploadId } })
  expect(data).toMatchObject({ state: 'ready', size: bytes.length, mimeType: 'image/png' })
})
