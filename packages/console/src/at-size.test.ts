import { afterAll, expect, test } from 'vitest'
import { PageMeter } from '../../testing/src/console/page-costs.ts'
import { sizedPages, startFilledApp } from '../../testing/src/console/pages-at-size.ts'
import { openConsolePages } from '../../testing/src/network/console-browser.ts'
import { signedIn } from '../../testing/src/service/console.ts'

// The slow form has a million users.
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const app = stack.use(
  await startFilledApp({
    users: 200,
    cases: 400,
    deliveries: 120,
    auditLines: 400,
    deadLetters: 60,
    apps: 120,
    collaborators: 5,
    activeUsers: 10,
  }),
)
const pages = await openConsolePages(stack, app)
const { session } = await signedIn(app, { '*': 'owner' })
const meter = new PageMeter(app, pages, session)
const rowsPerPage = 50
/** Of the session, the open app, the choice of apps, and what is around the list. */
const otherRows = 110

test('a list reads a page when it opens, and one more when its end is near', async () => {
  const lists = (await sizedPages(app)).filter(({ scrolls }) => scrolls)
  expect(lists.length).toBeGreaterThan(5)
  for (const { name, path, ready } of lists) {
    const { page, cost, counter } = await meter.open(name, path, ready)
    expect(cost.rows, name).toBeLessThanOrEqual(otherRows + rowsPerPage)
    const { calls, rows } = await counter.afterScroll()
    expect({ name, calls }).toEqual({ name, calls: 1 })
    expect(rows, name).toBeLessThanOrEqual(rowsPerPage)
    await page.context().close()
  }
  expect(pages.complaints).toEqual([])
})
