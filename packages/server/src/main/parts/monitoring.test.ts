import { readFileSync } from 'node:fs'
import { afterAll, expect, test, vi } from 'vitest'
import { send } from '../../../../testing/src/network/wire.ts'
import { startServing } from '../../../../testing/src/processes/program.ts'
import { startWebhookFixture } from '../../../../testing/src/webhooks/webhook-fixture.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const root = new URL('../../../../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const wait = { timeout: 60_000, interval: 500 }

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const fixture = stack.use(await startWebhookFixture({}, { worker: 'elsewhere' }))
const serving = stack.use(await startServing(fixture.settings))
const page = await scrapeAfterUse()
const series = seriesIn(page)

/** Labels by the name of the metric, of every series on the page. */
function seriesIn(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  for (const [, name = '', labels = ''] of text.matchAll(/^([a-z]\w*)(?:\{(.*)\})? \S+$/gm)) {
    const known = found.get(name) ?? new Set()
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label)
    found.set(name, known)
  }
  return found
}

/** A scrape of a process in which each kind of thing has happened once. */
async function scrapeAfterUse(): Promise<string> {
  const { app } = fixture
  await app.given.users('ann', 'bob')
  const hook = await fixture.hook('monitored', ['message_sent'])
  const calls = app.client(app.keys, 'full')
  await send(serving.origin, {
    path: '/v3/users',
    headers: { appId: app.appId, apikey: app.keys.full },
  })
  await calls.sendMessage({
    onBehalfOf: 'ann',
    body: { receiver: 'bob', receiverType: 'user', type: 'text', data: { text: 'Hi' } },
  })
  await send(serving.origin, { path: `/v3/realtime/events?appId=${app.appId}` })
  const socket = new WebSocket(`${serving.origin.replace('http', 'ws')}/v3/nowhere`)
  await new Promise((resolve) => socket.addEventListener('error', resolve))
  const other = new WebSocket(`${serving.origin.replace('http', 'ws')}/v3/realtime`)
  await new Promise((resolve) => other.addEventListener('open', resolve))
  other.close()
  await vi.waitFor(() => expect(hook.receiver.received).toHaveLength(1), wait)
  const scrape = async () => (await send(serving.operationsOrigin, { path: '/metrics' })).text
  for (const sign of [
    /^chorale_jobs_total\{queue="webhook deliveries",outcome="sent"\} 1$/m,
    /^chorale_listener_events_total\{listener="notify-webhooks",outcome="handled"\} [1-9]/m,
    /^chorale_gateway_closed_total\{reason="client"\} 1$/m,
    /^chorale_consumer_lag_messages\{consumer="notify-webhooks-0"\} 0$/m,
    /^chorale_jobs_waiting\{queue="webhook deliveries",state="behind"\} 0$/m,
  ])
    await vi.waitFor(async () => expect(await scrape()).toMatch(sign), wait)
  return scrape()
}

interface Used {
  readonly name: string
  readonly labels: readonly string[]
}

/** Metrics that an expression names, with the labels that it selects or groups them by. */
function metricsIn(expression: string): Used[] {
  const groups = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim()),
  )
  return [...expression.matchAll(/\b((?:chorale|nodejs|process)_\w+|up)\b(?:\{([^}]*)\})?/g)].map(
    ([, name = '', selected = '']) => ({
      name,
      labels: [...selected.matchAll(/(\w+)\s*[=!]/g)].map(([, label = '']) => label).concat(groups),
    }),
  )
}

/** Prometheus adds these to every series. */
const added = ['instance', 'job']

function missing(expression: string): string[] {
  return metricsIn(expression).flatMap(({ name, labels }) => {
    if (name === 'up') return []
    const known = series.get(name)
    if (!known) return [name]
    return labels
      .filter((label) => !added.includes(label) && !known.has(label))
      .map((label) => `${name}{${label}}`)
  })
}

const dashboard: {
  readonly panels: readonly {
    readonly targets: readonly { expr: string; legendFormat: string }[]
  }[]
} = JSON.parse(read('deploy/monitoring/dashboard.json'))
const targets = dashboard.panels.flatMap((panel) => panel.targets)
const rules = read('deploy/monitoring/alerts.yaml')
const expressions = [...rules.matchAll(/^ +expr: (.+)$/gm)].map(([, text = '']) => text)
const guide = read('docs/operate/monitoring.md')

test('every metric and label of the dashboard is in a scrape', () => {
  expect(targets.length).toBeGreaterThan(15)
  for (const { expr, legendFormat } of targets) {
    expect(metricsIn(expr).length, expr).toBeGreaterThan(0)
    expect(missing(expr), expr).toEqual([])
    const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)
    const grouped = metricsIn(expr).flatMap(({ labels }) => labels)
    expect(
      shown.filter((label) => !grouped.includes(label)),
      expr,
    ).toEqual([])
  }
})

test('every metric and label of the alerts is in a scrape, and each alert has a runbook', () => {
  const names = [...rules.matchAll(/- alert: (\w+)$/gm)].map(([, name = '']) => name)
  expect(expressions).toHaveLength(names.length)
  for (const expression of expressions) {
    expect(metricsIn(expression).length, expression).toBeGreaterThan(0)
    expect(missing(expression), expression).toEqual([])
  }
  for (const name of names) {
    expect(rules).toContain(`runbook: docs/operate/monitoring.md#${name.toLowerCase()}\n`)
    expect(guide).toMatch(new RegExp(`^### ${name}\\n\\S`, 'm'))
  }
})

test('an expression with a metric or label that is not there is noticed', () => {
  expect(missing('sum by (nowhere) (rate(chorale_requests_total{status="200"}[5m]))')).toEqual([
    'chorale_requests_total{nowhere}',
  ])
  expect(missing('max(chorale_request_total)')).toEqual(['chorale_request_total'])
})

test('the guide describes every metric of ours, with its labels, and no other', () => {
  const described = new Map(
    [...guide.matchAll(/^\| `(chorale_\w+)` \| (.*?) \|/gm)].map(([, name = '', labels = '']) => [
      name,
      [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label).sort(),
    ]),
  )
  // Only where one command runs several processes.
  described.delete('chorale_processes')
  const names = [...page.matchAll(/^# TYPE (chorale_\w+) (\w+)$/gm)]
  const ours = new Map(
    names.map(([, name = '', type = '']) => {
      const labels = series.get(type === 'histogram' ? `${name}_bucket` : name) ?? new Set()
      return [name, [...labels].filter((label) => label !== 'le').sort()]
    }),
  )
  expect(described).toEqual(ours)
})

test('whoever scrapes again at once gets the figures of the database that were just read', async () => {
  const figures = async () =>
    (await send(serving.operationsOrigin, { path: '/metrics' })).text
      .split('\n')
      .filter((line) => line.startsWith('chorale_jobs_waiting'))
  const before = await figures()
  expect(before.length).toBeGreaterThan(15)
  expect(await figures()).toEqual(before)
})
