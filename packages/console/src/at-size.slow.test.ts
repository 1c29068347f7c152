import { afterAll, expect, test } from 'vitest'
import { cpuMs, type PageCost, PageMeter, tableOf } from '../../testing/src/console/page-costs.ts'
import { sizedPages, startFilledApp } from '../../testing/src/console/pages-at-size.ts'
import { openConsolePages } from '../../testing/src/network/console-browser.ts'
import { signedIn } from '../../testing/src/service/console.ts'
import { groups } from './navigation.ts'

/** `CONSOLE_SIZE=0.01`: a hundredth, to try it out. */
const share = Number(process.env.CONSOLE_SIZE ?? 1)
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const app = stack.use(
  await startFilledApp({
    users: 1_000_000 * share,
    cases: 100_000 * share,
    deliveries: 10_000 * share,
    auditLines: 500_000 * share,
    deadLetters: 160,
    apps: 1000,
    collaborators: 200,
    activeUsers: 50_000 * share,
  }),
)
const pages = await openConsolePages(stack, app)
const { session } = await signedIn(app, { '*': 'owner' })
const meter = new PageMeter(app, pages, session)
const sized = await sizedPages(app)

test('all pages of the navigation are looked at', () => {
  const paths = sized.map(({ path }) => path.replace(`/console/apps/${app.appId}/`, ''))
  const entries = groups.flatMap((group) => group.pages)
  const left = entries.filter(
    ({ path, scope }) =>
      !paths.some((one) => one.includes(scope === 'install' ? `install/${path}` : path)),
  )
  expect(left.map(({ path }) => path)).toEqual([])
})

test('every page shows its first content within a second of CPU', async () => {
  const costs: PageCost[] = []
  for (const { name, path, ready } of sized) {
    // The first time the service compiles what checks its answers: that is once for each process.
    const first = await meter.open(name, path, ready)
    await first.page.context().close()
    const { page, cost } = await meter.open(name, path, ready)
    costs.push(cost)
    await page.context().close()
  }
  console.log(tableOf(costs))
  expect(costs.filter((cost) => cpuMs(cost) > 1000).map(({ name }) => name)).toEqual([])
  expect(pages.complaints).toEqual([])
})

test('lists read a page at a time, however far one scrolls', async () => {
  const said: string[] = []
  for (const { name, path, ready, scrolls } of sized) {
    if (!scrolls) continue
    const { page, counter } = await meter.open(name, path, ready)
    const found = [await counter.afterScroll(), await counter.afterScroll()]
    said.push(...found.map(({ calls, rows }) => `${name}: ${calls} calls, ${rows} rows`))
    for (const { calls, rows } of found) {
      expect({ name, calls }).toEqual({ name, calls: 1 })
      expect(rows).toBeLessThanOrEqual(50)
    }
    await page.context().close()
  }
  console.log(said.join('\n'))
})
