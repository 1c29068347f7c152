import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { openReactPages } from '../../../testing/src/network/react-page.ts'
import type { TestPage } from '../testing/page.tsx'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const pages = await openReactPages(stack)
const page = await pages.blank()
const cpu = await cpuOf(page)

/** CPU time of the page's main thread so far, in milliseconds. */
async function cpuOf(of: Page): Promise<() => Promise<number>> {
  const session = await of.context().newCDPSession(of)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN)
  }
}

async function show(count: number): Promise<void> {
  await page.evaluate((made) => {
    const { page: tested } = globalThis as unknown as { page: TestPage }
    tested.showMade(made)
  }, count)
  await page.getByRole('article').last().waitFor()
}

/** Scrolls so many pixels at a time, a frame each; returns how many elements there were at most. */
const scroll = (steps: number, by: number) =>
  page.evaluate(
    async ([left, pixels]) => {
      const view = document.querySelector('[role=feed]')
      let most = 0
      for (let n = 0; n < left; n++) {
        view?.scrollBy(0, pixels)
        await new Promise((resolve) => requestAnimationFrame(resolve))
        most = Math.max(most, document.querySelectorAll('#root *').length)
      }
      return most
    },
    [steps, by] as const,
  )

async function walk(count: number) {
  await show(count)
  const steps = 60
  const before = await cpu()
  const nodes = await scroll(steps, -500)
  return { count, nodes, msPerStep: ((await cpu()) - before) / steps }
}

/** How far the list is from its end. */
const toEnd = () =>
  page.getByRole('feed').evaluate((view) => view.scrollHeight - view.scrollTop - view.clientHeight)

const made = (work: 'append' | 'prepend' | 'grow') =>
  page.evaluate((what) => {
    const list = (globalThis as unknown as { page: TestPage }).page.made
    const last = (list?.getSnapshot().items.length ?? 0) - 1
    if (what === 'append') list?.append()
    if (what === 'prepend') list?.prepend(50)
    if (what === 'grow') list?.edit(last, 'a text that grows line by line\n'.repeat(12))
  }, work)

test('100,000 messages scroll with as many elements and at the cost of 1,000', async () => {
  const few = await walk(1000)
  const many = await walk(100_000)
  console.log('react: 60 steps of 500 pixels:', few, many)
  expect(many.nodes).toBeLessThan(1200)
  expect(many.nodes).toBeLessThan(few.nodes * 1.2)
  expect(many.msPerStep).toBeLessThan(30)
  expect(many.msPerStep).toBeLessThan(few.msPerStep * 2 + 2)
})

test('one more of 100,000 renders one row, and is shown', async () => {
  await show(100_000)
  await page.evaluate(() => (globalThis as unknown as { page: TestPage }).page.takeRenderCounts())
  await made('append')
  await page.getByText(/^1100000 /).waitFor()
  const counts = await page.evaluate(() =>
    (globalThis as unknown as { page: TestPage }).page.takeRenderCounts(),
  )
  expect(counts).toMatchObject({ MessageRow: 1 })
  await expect.poll(toEnd).toBeLessThan(2)
})

test('whoever is at the end stays there while the last message grows', async () => {
  await show(500)
  await made('grow')
  await page.getByText('line by line').first().waitFor()
  await expect.poll(toEnd).toBeLessThan(2)
})

test('whoever reads above stays there when messages come before and after', async () => {
  await show(501)
  await scroll(10, -400)
  const seen = page.getByRole('article').nth(20)
  const key = await seen.getAttribute('data-key')
  const row = page.locator(`[data-key="${key}"]`)
  const before = await row.boundingBox()
  await made('prepend')
  await made('append')
  await page.getByLabel('Jump to the latest message').waitFor()
  const after = await row.boundingBox()
  expect(Math.abs((after?.y ?? Number.NaN) - (before?.y ?? Number.NaN))).toBeLessThan(1.5)
  await page.getByLabel('Jump to the latest message').click()
  await expect.poll(toEnd).toBeLessThan(2)
})
