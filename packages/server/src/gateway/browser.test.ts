import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, servePage } from '../../../testing/src/network/example-page.ts'
import { startTcpProxy } from '../../../testing/src/network/tcp-proxy.ts'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'

// Two people with the example page in a real browser, on a site of its own.

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const fixture = stack.use(await startRealtimeFixture())
const network = stack.use(await startTcpProxy(fixture.app.origin))
const { app } = fixture
const wait = { timeout: 15_000 }
let site = ''
let siteOfBob = ''
let browser: Awaited<ReturnType<typeof openBrowser>>

beforeAll(async () => {
  await app.given.users('ann', 'bob')
  site = await serve(app.origin)
  // A browser that is offline still lets WebSockets through: his go over a network of their own.
  siteOfBob = await serve(network.url)
  browser = await openBrowser()
  stack.defer(() => browser.close())
})

function serve(gateway: string): Promise<string> {
  return servePage(stack, {
    API_URL: `${app.origin}/v3`,
    REALTIME_URL: new URL('/v3/realtime', gateway.replace('http', 'ws')).href,
    APP_ID: app.appId,
    API_KEY: app.keys.full,
  })
}

async function open(uid: string, other: string, at = site): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 480, height: 720 } })
  await page.goto(`${at}?uid=${uid}&with=${other}`)
  await expect.poll(() => page.textContent('#connection'), wait).toBe('you are online')
  return page
}

const texts = (page: Page) => page.locator('#messages li').allTextContents()
const states = (page: Page) =>
  page.locator('#messages li.own').evaluateAll((items) => items.map((li) => li.dataset.state))

async function write(page: Page, text: string): Promise<void> {
  await page.fill('#text', text)
  await page.press('#text', 'Enter')
}

test('two pages exchange messages, typing and receipts; one goes offline, and misses nothing', async () => {
  const [ann, bob] = [await open('ann', 'bob'), await open('bob', 'ann', siteOfBob)]
  await write(ann, 'Shall we rehearse tonight?')
  await expect.poll(() => texts(bob), wait).toEqual(['Shall we rehearse tonight?'])
  await expect.poll(() => states(ann), wait).toEqual(['read'])
  await bob.type('#text', 'At eight')
  await expect.poll(() => ann.textContent('#typing'), wait).toBe('bob is typing …')
  await write(bob, 'At eight, in the old hall.')
  await expect.poll(() => texts(ann).then((all) => all.at(-1)), wait).toMatch(/^At eight/)
  await expect.poll(() => ann.textContent('#typing'), wait).toBe('')

  // What is read while he is away, nobody tells him later.
  await expect.poll(() => states(bob), wait).toEqual(['read'])
  await bob.context().setOffline(true)
  await network.close()
  await expect.poll(() => bob.textContent('#connection'), wait).not.toBe('you are online')
  for (const text of ['Bring the tenors.', 'And the blue scores.']) await write(ann, text)
  await write(bob, 'The tenors are coming.')
  await expect.poll(() => states(ann), wait).toEqual(['read', 'sent', 'sent'])
  expect(await states(bob)).toEqual(['read', 'sending'])

  await network.open()
  await bob.context().setOffline(false)
  await expect.poll(() => states(ann), wait).toEqual(['read', 'read', 'read'])
  await expect.poll(() => states(bob), wait).toEqual(['read', 'read'])
  expect(await texts(bob)).toEqual(await texts(ann))
  expect(await texts(ann)).toHaveLength(5)
})

test('an edited message shows its text of now, a deleted one that it was; who cannot log in is told', async () => {
  await app.given.users('cid', 'dan')
  const dan = await open('dan', 'cid')
  const { id } = await app.given.message('cid', 'dan', { data: { text: 'At night' } })
  await expect.poll(() => texts(dan), wait).toEqual(['At night'])
  const change = { params: { id }, onBehalfOf: 'cid' }
  await app.as('full').editMessage({ ...change, body: { data: { text: 'At nine' } } })
  await expect.poll(() => texts(dan), wait).toEqual(['At nine (edited)'])
  await app.as('full').deleteMessage(change)
  const deleted = ['This message was deleted.']
  await expect.poll(() => texts(dan), wait).toEqual(deleted)
  await dan.reload()
  await expect.poll(() => texts(dan), wait).toEqual(deleted)

  await dan.goto(`${site}?uid=nobody&with=cid`)
  await expect.poll(() => dan.textContent('#connection'), wait).toContain('nobody does not exist')
})

test('a page of another site calls the API as a device', async () => {
  const page = await open('ann', 'bob')
  const authToken = await fixture.tokenOf('ann')
  const call = { address: `${app.origin}/v3/me`, appId: app.appId, authToken }
  const me = await page.evaluate(
    async ({ address, ...headers }) => (await fetch(address, { headers })).json(),
    call,
  )
  expect(me).toMatchObject({ data: { uid: 'ann' } })
})
