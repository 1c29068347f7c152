import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeExampleChat } from '../../../testing/src/data/example-chat.ts'
import { openReactPages } from '../../../testing/src/network/react-page.ts'
import { root } from '../../../testing/src/processes/program.ts'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'
import type { PageOptions } from '../testing/page.tsx'

// The pictures in docs/develop/react.md, in the folder `build`; in the documentation itself with
//   PICTURES=docs/pictures npm run test:slow -- packages/react/src/screen/pictures

const folder = join(root, process.env.PICTURES ?? 'build/pictures')
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const fixture = stack.use(await startRealtimeFixture())
const { app, full, tokenOf, sayIn, device } = fixture
await makeExampleChat(fixture)
await sayIn('tea', 'ann', 'I tried it yesterday')
const data = { text: 'The answer is being wri', metadata: { streaming: true } }
const body = { receiver: 'tea', receiverType: 'group', category: 'message', type: 'text' } as const
await full.sendMessage({ onBehalfOf: 'bob', body: { ...body, data } })
const pages = await openReactPages(stack)
const options: PageOptions = {
  url: `${app.origin.replace('http', 'ws')}/v3/realtime`,
  appId: app.appId,
  authToken: await tokenOf('ann'),
  initial: { receiver: 'tea', receiverType: 'group' },
}

test.each([
  ['light', { theme: 'light', hasUploads: true }],
  ['rtl', { theme: 'light', isArabic: true, dir: 'rtl' }],
] as const)('the picture react-%s.png', async (name, look) => {
  await using _bob = await device('bob')
  const page = await pages.open({ ...options, ...look }, { width: 1100, height: 680 })
  await page.getByRole('article').filter({ hasText: 'The answer is being wri' }).waitFor()
  await page.locator('.chorale-presence[data-online]').waitFor()
  await page.locator('.chorale-conversation[aria-current][data-unread]').waitFor({
    state: 'detached',
  })
  const isRightToLeft = () =>
    page.getByRole('feed').evaluate((feed) => getComputedStyle(feed).direction === 'rtl')
  expect(await isRightToLeft()).toBe(name === 'rtl')
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `react-${name}.png`), animations: 'disabled' })
})
