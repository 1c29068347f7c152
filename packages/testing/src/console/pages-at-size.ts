import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { vi } from 'vitest'
import { countEvents } from '../../../server/src/domain/stats/index.ts'
import { withQuery } from '../data/many-entries.ts'
import { crowd } from '../data/many-users.ts'
import { natsPrefix } from '../engines/nats-prefix.ts'
import { builtConsole } from '../network/console-browser.ts'
import { startTestApp, type TestApp } from '../service/test-app.ts'
import { type ConsoleSize, filled, fillInstall } from './filled-install.ts'

/** An install of that size, with a webhook, a rule, events and dead letters. */
export async function startFilledApp(size: ConsoleSize): Promise<TestApp> {
  const app = await startTestApp({
    shadow: false,
    consoleFiles: await builtConsole(),
    live: {
      settings: { NATS_PREFIX: natsPrefix(), LISTENER_ATTEMPTS: '1' },
      listeners: [
        countEvents,
        { name: 'refusing', idempotent: true, on: { 'group.created': refuse } },
      ],
    },
  })
  const full = app.as('full')
  const { appId } = app
  const rule = await full.createRule({
    body: { id: filled.ruleId, name: 'No spam', conditions: [{ value: 'cheap watches' }] },
  })
  await full.createWebhook({
    params: { appId },
    headers: { 'X-Webhook-Version': 2 },
    body: {
      id: filled.webhookId,
      name: 'Shop',
      webhookURL: 'https://shop.example.com/in',
      triggers: ['message_sent'],
    },
  })
  await app.given.users('founder')
  for (let nth = 0; nth < size.deadLetters; nth++)
    await app.given.group(`g${nth}`, { owner: 'founder' })
  await vi.waitFor(async () => {
    const { data } = await full.listDeadLetters({ query: { limit: size.deadLetters } })
    if (data.length < size.deadLetters) throw new Error(`Only ${data.length} dead letters yet.`)
  }, 60_000)
  const [condition] = rule.data.conditions
  await withQuery(app.databaseUrl, (query) => fillInstall(query, appId, size, condition))
  return app
}

async function refuse(): Promise<undefined> {
  throw new Error('The shop does not answer.')
}

export interface SizedPage {
  readonly name: string
  readonly path: string
  /** What of it is content. */
  readonly ready: (page: Page) => Promise<unknown>
  /** It is a list with more than it shows. */
  readonly scrolls?: true
}

/** All pages of the console, with what there is in them. */
export async function sizedPages({ appId, db }: TestApp): Promise<SizedPage[]> {
  const { rows } = await sql<{ id: number }>`
    select max(id) as id from entries where app_id = ${appId}`.execute(db)
  const { webhookId, ruleId, uid, guid } = filled
  const inApp = (path: string) => `/console/apps/${appId}/${path}`
  const text = (wanted: string | RegExp) => (page: Page) =>
    page.locator('#page').getByText(wanted).first().waitFor()
  const row = (wanted: string) => (page: Page) =>
    page.getByRole('row').filter({ hasText: wanted }).first().waitFor()
  return [
    { name: 'Apps', path: '/console', ready: row('Filler'), scrolls: true },
    { name: 'Account', path: '/console/account', ready: text('This one') },
    { name: 'App', path: inApp(''), ready: text('Review queue') },
    {
      name: 'Review queue',
      path: inApp('moderation/queue'),
      ready: (page) => page.locator('.case-list li').first().waitFor(),
    },
    {
      name: 'Decisions',
      path: inApp('moderation/decisions'),
      ready: row('Message'),
      scrolls: true,
    },
    { name: 'Rules', path: inApp('moderation/rules'), ready: row('No spam') },
    { name: 'Rule', path: inApp(`moderation/rules/${ruleId}`), ready: text('Try it out') },
    { name: 'Lists', path: inApp('moderation/lists'), ready: row('terms') },
    { name: 'Reasons', path: inApp('moderation/reasons'), ready: row('Spam') },
    {
      name: 'Find users',
      path: inApp(`support/users?search=${crowd.uidPrefix}1`),
      ready: row(`${crowd.uidPrefix}1`),
    },
    { name: 'Find users by name', path: inApp('support/users?search=Anna'), ready: row('Anna') },
    { name: 'User', path: inApp(`support/users/${uid}`), ready: row('Sent') },
    {
      name: 'Conversation',
      path: inApp(`support/conversations/group_${guid}`),
      ready: text('Message number'),
    },
    {
      name: 'Message timeline',
      path: inApp(`support/messages/${rows[0]?.id}`),
      ready: text('Received'),
    },
    {
      name: 'Send as the app',
      path: inApp('support/send'),
      ready: (page) => page.getByLabel('Text').waitFor(),
    },
    { name: 'API keys', path: inApp('keys'), ready: row('…') },
    { name: 'Settings', path: inApp('settings'), ready: text('messages.editWindowSeconds') },
    { name: 'Roles', path: inApp('roles'), ready: row('createGroup') },
    { name: 'Webhooks', path: inApp('webhooks'), ready: row('Shop') },
    {
      name: 'Webhook, deliveries',
      path: inApp(`webhooks/${webhookId}`),
      ready: row('Delivered'),
      scrolls: true,
    },
    { name: 'Push providers', path: inApp('push-providers'), ready: text('No account') },
    { name: 'Collaborators', path: inApp('collaborators'), ready: row('Filler') },
    { name: 'Events', path: inApp('events'), ready: row('group.created'), scrolls: true },
    { name: 'Audit log', path: inApp('audit-log'), ready: row('updateUser'), scrolls: true },
    { name: 'Health', path: '/console/install/health', ready: text('webhook deliveries') },
    {
      name: 'Dead letters',
      path: '/console/install/dead-letters',
      ready: row('The shop does not answer.'),
      scrolls: true,
    },
    { name: 'Usage', path: '/console/install/usage', ready: row('Filler') },
    {
      name: 'Audit log of the install',
      path: '/console/install/audit-log',
      ready: row('updateUser'),
      scrolls: true,
    },
    {
      name: 'Audit log, one operation',
      path: '/console/install/audit-log?operation=createApiKey',
      ready: row('createApiKey'),
    },
  ]
}
