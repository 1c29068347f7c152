import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import type { CDPSession, Page, Response } from 'playwright-core'
import type { ConsolePages } from '../network/console-browser.ts'
import { consoleUrl } from '../service/console-page.ts'
import type { TestApp } from '../service/test-app.ts'

export interface Calls {
  readonly calls: number
  /** Of all answers. */
  readonly rows: number
}

export interface PageCost extends Calls {
  readonly name: string
  /** CPU until the first content: of the thread of the page, of the service, of the database. */
  readonly browserMs: number
  readonly serviceMs: number
  readonly databaseMs: number
  /** By the clock: on a busy machine more than the CPU took. */
  readonly elapsedMs: number
}

/** What pages cost, counted from outside of them. */
export class PageMeter {
  readonly #app: TestApp
  readonly #pages: ConsolePages
  readonly #session: string

  constructor(app: TestApp, pages: ConsolePages, session: string) {
    this.#app = app
    this.#pages = pages
    this.#session = session
  }

  /** Opens a page in an empty browser, until `ready`. */
  async open(
    name: string,
    path: string,
    ready: (page: Page) => Promise<unknown>,
  ): Promise<{ page: Page; cost: PageCost; counter: CallCounter }> {
    const page = await this.#pages.blank({ session: this.#session })
    // Starts the process of the pages of this address: that is no work of the console.
    await page.goto(`${consoleUrl}/console/api/v3/nothing`)
    const debugging = await page.context().newCDPSession(page)
    await debugging.send('Performance.enable', { timeDomain: 'threadTicks' })
    const counter = new CallCounter(page)
    const [before, began] = [await this.#cpu(debugging), performance.now()]
    await page.goto(consoleUrl + path, { waitUntil: 'commit' })
    await ready(page)
    const elapsedMs = performance.now() - began
    const after = await this.#cpu(debugging)
    const cost = {
      name,
      ...(await counter.take()),
      browserMs: after.browserMs - before.browserMs,
      serviceMs: after.serviceMs - before.serviceMs,
      databaseMs: after.databaseMs - before.databaseMs,
      elapsedMs,
    }
    return { page, cost, counter }
  }

  async #cpu(debugging: CDPSession) {
    const { user, system } = process.cpuUsage()
    const { metrics } = await debugging.send('Performance.getMetrics')
    const busy = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0
    return {
      browserMs: busy * 1000,
      serviceMs: (user + system) / 1000,
      databaseMs: await databaseMs(this.#app),
    }
  }
}

/** Of the connections to the database of the app, where PostgreSQL runs on this machine. */
async function databaseMs({ db }: TestApp): Promise<number> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`.execute(
    db,
  )
  return rows.reduce((sum, { pid }) => sum + cpuOf(pid), 0)
}

function cpuOf(pid: number): number {
  try {
    // Nanoseconds on a core, then those of waiting for one.
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return 0
  }
}

const quietMs = 250

/** Counts the calls of a page to the API. */
export class CallCounter {
  readonly #page: Page
  #answers: Response[] = []
  #asked = 0

  constructor(page: Page) {
    this.#page = page
    const isCall = (url: string) => url.includes('/console/api/')
    page.on('request', (request) => {
      if (isCall(request.url())) this.#asked++
    })
    page.on('response', (response) => {
      if (isCall(response.url())) this.#answers.push(response)
    })
  }

  /** Since it was last asked; waits until every call has its answer, and no more come. */
  async take(): Promise<Calls> {
    for (let asked = -1; asked !== this.#asked || this.#answers.length < asked; ) {
      asked = this.#asked
      await this.#page.waitForTimeout(quietMs)
    }
    const answers = this.#answers
    this.#asked = 0
    this.#answers = []
    const rows = await Promise.all(answers.map(rowsIn))
    return { calls: answers.length, rows: rows.reduce((sum, one) => sum + one, 0) }
  }

  /** What one scroll to the end costs. */
  async afterScroll(): Promise<Calls> {
    const before = await this.#page.evaluate(() => document.documentElement.scrollHeight)
    await this.#page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight))
    const grown = (height: number) => document.documentElement.scrollHeight > height
    await this.#page.waitForFunction(grown, before)
    return await this.take()
  }
}

async function rowsIn(response: Response): Promise<number> {
  const { data } = Object(await response.json().catch(() => undefined)) as { data?: unknown }
  if (Array.isArray(data)) return data.length
  const rows = Object.values(Object(data))
    .filter(Array.isArray)
    .flat()
    .filter((one) => typeof one === 'object')
  return Math.max(1, rows.length)
}

export function cpuMs({ browserMs, serviceMs, databaseMs }: PageCost): number {
  return browserMs + serviceMs + databaseMs
}

/** As Markdown. */
export function tableOf(costs: readonly PageCost[]): string {
  const lines = costs.map((cost) => {
    const { name, calls, rows, browserMs, serviceMs, databaseMs, elapsedMs } = cost
    const times = [browserMs, serviceMs, databaseMs, cpuMs(cost), elapsedMs]
    return [name, calls, rows, ...times.map(Math.round)].join(' | ')
  })
  return [
    '| Page | Calls | Rows | Page, ms | Service, ms | Database, ms | CPU, ms | Clock, ms |',
    '|---|--:|--:|--:|--:|--:|--:|--:|',
    ...lines.map((line) => `| ${line} |`),
  ].join('\n')
}
