import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type * as sdk from '@chorale/sdk'
import { afterAll, expect, test } from 'vitest'
import { bundle } from '../../../sdk/src/testing/bundle.ts'
import { openBrowser } from '../../../testing/src/network/example-page.ts'
import { startTcpProxy } from '../../../testing/src/network/tcp-proxy.ts'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const { app, device, tokenOf, full } = stack.use(await startRealtimeFixture())

/** A site of its own; Chromium lets only a page of this machine connect to this machine. */
async function servePlainPage(): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<p>')
  }).listen(0, '127.0.0.1')
  stack.defer(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  // A listening TCP server has an address with a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

test('a page that is closed without a connection forgets no message', async () => {
  await app.given.users('ann', 'bob')
  const bob = await device('bob')
  const network = stack.use(await startTcpProxy(app.origin))
  const browser = await openBrowser()
  stack.defer(() => browser.close())
  const context = await browser.newContext()
  const site = await servePlainPage()
  const { code } = await bundle('*', 'iife')
  const options = {
    url: new URL('/v3/realtime', network.url.replace('http', 'ws')).href,
    appId: app.appId,
    authToken: await tokenOf('ann'),
  }
  /** In a page: a chat of ann, which says these texts. */
  const chatIn = async (texts: readonly string[]) => {
    const page = await context.newPage()
    await page.goto(site)
    await page.evaluate(`${code}; globalThis.chorale = chorale`)
    await page.evaluate(
      ([given, said]) => {
        // The bundle is that of the SDK.
        const { createChat, indexedDbStorage } = (globalThis as { chorale?: typeof sdk })
          .chorale as typeof sdk
        const chat = createChat({ ...given, storage: indexedDbStorage('chorale-ann') })
        const { send } = chat.conversation({ receiver: 'bob', receiverType: 'user' })
        for (const text of said) send(text)
      },
      [options, texts] as const,
    )
    return page
  }
  const kept = async (page: Awaited<ReturnType<typeof chatIn>>) =>
    page.evaluate(async () => {
      // The bundle is that of the SDK.
      const { indexedDbStorage } = (globalThis as { chorale?: typeof sdk }).chorale as typeof sdk
      const entries = await indexedDbStorage('chorale-ann').entries()
      return entries.map(([key]) => key.replace(/\/.*/, '')).sort()
    })

  await network.close()
  const first = await chatIn(['one', 'two', 'three'])
  await expect.poll(() => kept(first)).toEqual(['unsent', 'unsent', 'unsent'])
  await first.close()
  await network.open()
  const second = await chatIn(['four'])
  await expect.poll(() => bob.texts()).toEqual(['one', 'two', 'three', 'four'])
  await expect.poll(() => kept(second)).toEqual(['positions', 'user'])
  const { data } = await full.listUserMessages({ params: { uid: 'bob' }, onBehalfOf: 'ann' })
  expect(data).toHaveLength(4)
})
