import type { Api } from '@chorale/contract/api'
import type { CallInput } from '@chorale/contract/operation'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { withQuery } from '../../../../testing/src/data/many-entries.ts'
import { objectionsTo, openExplainer } from '../../../../testing/src/data/plans.ts'
import { startMortalServer } from '../../../../testing/src/processes/mortal-server.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { startWebhookFixture } from '../../../../testing/src/webhooks/webhook-fixture.ts'
import { openDatabase } from '../../database/pool.ts'
import { openEgress } from '../../egress/egress.ts'
import { openTransactions } from '../../outbox/unit-of-work.ts'
import { openVault } from '../../vault/vault.ts'
import { openCompiler, openRuleSets } from '../rules/compiler/index.ts'
import { portableEngine } from '../rules/engine/index.ts'
import { openRuleCheck } from '../rules/index.ts'
import { listCases } from './reviews.sql.ts'
import { deleteOldSubmissions, submissionQueue } from './submission-jobs.sql.ts'
import { submissionJobs } from './submission-jobs.ts'
import { findSubmission, listSubmissions } from './submissions.sql.ts'

vi.setConfig({ testTimeout: 120_000 })

const wait = { timeout: 60_000, interval: 20 }
type Body = CallInput<Api['submitMessage']>['body']
const details = (uid: string) => ({ uid, name: uid.toUpperCase() })
const plain: Body = {
  sender: 'ann',
  receiver: 'bob',
  receiverType: 'user' as const,
  senderUserDetails: details('ann'),
  receiverUserDetails: details('bob'),
}
const saying = (text: string, more: Partial<Body> = {}) => ({
  body: { ...plain, data: { text }, ...more },
})

describe('a worker', async () => {
  const fixture = await startWebhookFixture()
  afterAll(() => fixture[Symbol.asyncDispose]())
  const { app, full } = fixture
  const { receiver } = await fixture.hook('all', [
    'message_sent',
    'moderation_engine_approved',
    'moderation_engine_blocked',
    'moderation_manual_approved',
  ])
  await full.submitMessage(saying('before any rule'))
  const rule = { conditions: [{ value: 'spam' }], action: ['blockMessage', 'kickUser'] as const }
  await full.createRule({ body: { id: 'no-spam', ...rule, action: [...rule.action] } })
  await full.createRule({
    body: { id: 'odd', conditions: [{ value: 'odd' }], action: ['flagMessage'] },
  })

  const get = async (id: string) => (await full.getSubmission({ params: { id } })).data
  const moderationOf = async (id: string) => (await get(id)).data.moderation
  const submit = async (text: string, more?: Partial<Body>) =>
    (await full.submitMessage(saying(text, more))).data.id
  /** What webhooks were told of it, once they were told so often. */
  async function told(id: string, times = 1) {
    const of = () => receiver.received.filter(({ body }) => body.data.message.id === id)
    await expect.poll(() => of().length, wait).toBe(times)
    return of().map(({ body }) => body)
  }
  const blockedIds = async () =>
    (await full.listBlockedMessages({})).data.map(({ message }) => message.id)
  const review = (messageId: string, status: 'approved' | 'disapproved') =>
    full.reviewBlockedMessage({ params: { messageId }, body: { status } })
  const gone = { code: 'ERR_MESSAGE_ID_NOT_FOUND' }

  test('approves what no rule speaks against, and tells of it', async () => {
    const { data: first } = await full.listSubmissions({ query: { limit: 1 } })
    await told(first[0]?.id ?? '')
    const id = await submit('fine')
    const [body] = await told(id)
    expect(body).toEqual({
      trigger: 'moderation_engine_approved',
      appId: app.appId,
      region: 'us',
      webhook: 'all',
      data: { message: await get(id) },
    })
    expect(await moderationOf(id)).toEqual({ status: 'approved' })
  })

  test('blocks what a rule catches: told, and in the queue, and nobody is kicked', async () => {
    const group = { guid: 'tea', name: 'Tea', type: 'public', owner: 'bob' } as const
    await full.createGroup({ body: { ...group, members: { participants: ['ann'] } } })
    const id = await submit('SPAM!', { receiver: 'tea', receiverType: 'group' })
    const [body] = await told(id)
    expect(body).toMatchObject({
      trigger: 'moderation_engine_blocked',
      data: {
        message: await get(id),
        moderation: [{ condition: { value: ['spam'], weight: 1 }, rule: { id: 'no-spam' } }],
      },
    })
    const rule = { id: 'no-spam', name: 'no-spam' }
    expect(await moderationOf(id)).toEqual({ status: 'disapproved', rule })
    const { data } = await full.listBlockedMessages({})
    expect(data).toMatchObject([{ ruleId: 'no-spam', message: { id, receiver: 'tea' } }])
    expect((await full.listMembers({ params: { guid: 'tea' } })).data).toHaveLength(2)
  })

  test('a moderator overrules it, which changes the status alone and is told', async () => {
    const id = await submit('spam again')
    await told(id)
    await review(id, 'disapproved')
    expect(await blockedIds()).not.toContain(id)
    await review(id, 'approved')
    await review(id, 'approved')
    expect(await moderationOf(id)).toMatchObject({ status: 'approved', rule: { id: 'no-spam' } })
    const [, manual] = await told(id, 2)
    expect(manual).toMatchObject({
      trigger: 'moderation_manual_approved',
      data: { message: await get(id), moderation: [{ rule: { id: 'no-spam' } }] },
    })
    const { data } = await full.listReviewedMessages({})
    expect(data).toMatchObject([{ ruleId: 'no-spam', message: { id } }])
    await expect(full.getMessage({ params: { id } })).rejects.toMatchObject(gone)
    const flagged = { params: { id }, body: { status: 'approved' } } as const
    await expect(full.reviewFlaggedMessage(flagged)).rejects.toMatchObject(gone)
  })

  test('a rule that flags lets it pass, and a moderator may block it', async () => {
    const id = await submit('odd')
    expect(await told(id)).toMatchObject([{ trigger: 'moderation_engine_approved' }])
    const { data } = await full.listFlaggedMessages({})
    expect(data).toMatchObject([{ id, flaggedCount: 0, rule: { id: 'odd' } }])
    await full.reviewFlaggedMessage({ params: { id }, body: { status: 'disapproved' } })
    expect(await moderationOf(id)).toEqual({ status: 'disapproved' })
  })

  test('moderates again what is edited; the old case is closed', async () => {
    const id = await submit('more spam')
    await told(id)
    expect(await blockedIds()).toContain(id)
    const edit = (text: string) =>
      full.updateSubmission({ params: { id }, body: { data: { text } } })
    expect((await edit('better')).data.data.moderation).toEqual({ status: 'pending' })
    expect(await blockedIds()).not.toContain(id)
    await told(id, 2)
    expect(await moderationOf(id)).toEqual({ status: 'approved' })
    await edit('spam after all')
    const bodies = await told(id, 3)
    expect(bodies.map(({ trigger, data }) => [trigger.slice(18), data.message.data.text])).toEqual([
      ['blocked', 'more spam'],
      ['approved', 'better'],
      ['blocked', 'spam after all'],
    ])
    expect(await blockedIds()).toContain(id)
    const query = { moderationStatus: 'disapproved', sender: 'ann' } as const
    expect((await full.listSubmissions({ query })).data.map((one) => one.id)).toContain(id)
    await full.deleteSubmission({ params: { id } })
    expect(await blockedIds()).not.toContain(id)
    await expect(review(id, 'approved')).rejects.toMatchObject(gone)
  })

  test('looks at who sends and who receives, and at the rules of that app', async () => {
    const filters = [
      { type: 'sender', entity: 'user', operand: 'tags', operator: 'equals', value: 'new' },
    ] as const
    const conditions = [{ value: 'link' }]
    await full.createRule({ body: { id: 'newcomers', conditions, filters: [...filters] } })
    const senderUserDetails = { ...details('cid'), tags: ['new'] }
    const caught = await submit('a link', { sender: 'cid', senderUserDetails })
    const passes = await submit('a link')
    expect(await told(caught)).toMatchObject([{ trigger: 'moderation_engine_blocked' }])
    expect(await told(passes)).toMatchObject([{ trigger: 'moderation_engine_approved' }])
    const client = app.client(await app.anotherApp(), 'full')
    const { data } = await client.submitMessage(saying('spam'))
    const status = async () =>
      (await client.getSubmission({ params: { id: data.id } })).data.data.moderation?.status
    await expect.poll(status, wait).toBe('approved')
  })

  test('none of it is told as sent', () => {
    expect(receiver.received.filter(({ body }) => body.trigger === 'message_sent')).toEqual([])
  })
})

test('a worker that is killed with a result in hand leaves it to the next, told once', async () => {
  await using fixture = await startWebhookFixture({}, { worker: 'elsewhere' })
  const { app, full } = fixture
  const hook = await fixture.hook('all', [
    'moderation_engine_approved',
    'moderation_engine_blocked',
  ])
  await full.createRule({ body: { id: 'no-spam', conditions: [{ value: 'spam' }] } })
  await using blocker = await connect(app.databaseUrl)
  await blocker.query('begin; lock table moderation_cases in exclusive mode')
  const submitted: string[] = []
  for (let n = 0; n < 20; n++) {
    submitted.push((await full.submitMessage(saying(n % 2 === 0 ? 'spam' : 'fine'))).data.id)
  }
  await using worker = await startMortalServer(fixture.settings, '--parts', 'worker')
  const waiting = async () => {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and query like '%moderation_cases%'`.execute(app.db)
    return rows.length
  }
  await expect.poll(waiting, wait).toBeGreaterThan(0)
  await worker.kill()
  await blocker.query('rollback')
  const pending = async () =>
    (await full.listSubmissions({ query: { moderationStatus: 'pending' } })).data.length
  await expect.poll(waiting, wait).toBe(0)
  expect(await pending()).toBeGreaterThan(0)
  await worker.start()
  await expect.poll(pending, wait).toBe(0)
  const { received } = hook.receiver
  await expect.poll(() => received.length, wait).toBe(submitted.length)
  const heard = received.map(({ body }) => [body.data.message.id, body.trigger]).sort()
  expect(heard).toEqual(
    submitted
      .map((id, n) => [id, `moderation_engine_${n % 2 === 0 ? 'blocked' : 'approved'}`])
      .sort(),
  )
})

test('a result for what was edited, deleted or moderated meanwhile is dropped', async () => {
  await using app = await startTestApp({ shadow: false })
  const full = app.as('full')
  await using database = openDatabase({
    url: app.databaseUrl,
    poolSize: 2,
    statementTimeoutMs: 10_000,
    onIdleError: () => undefined,
  })
  const [edited, deleted, twice] = await Promise.all(
    ['edited', 'deleted', 'twice'].map(
      async (text) => (await full.submitMessage(saying(text))).data.id,
    ),
  )
  const clock = () => Math.floor(Date.now() / 1000)
  const told: unknown[] = []
  const bulkheads = { all: 1, perTarget: 1, breaker: { failures: 1, restMs: 1 } }
  await using egress = openEgress({ allow: '', http: false, ...bulkheads })
  const parts = {
    egress,
    vault: openVault(Buffer.alloc(32)),
    timeoutMs: 5000,
    retryMs: 10,
    database,
    clock,
    checkRules: openRuleCheck(openRuleSets(openCompiler(portableEngine))),
    transactions: openTransactions({
      begin: database.transaction,
      onCommit: ({ events }) => void told.push(...events.map(({ payload }) => payload)),
      clock,
    }),
  }
  const { run, cleanup, limits } = submissionJobs(parts)
  const claim = () => submissionQueue.claim(database.db, { ...limits, most: 10 })
  const jobs = await claim()
  expect(jobs).toHaveLength(3)
  expect(await claim()).toEqual([])
  await full.updateSubmission({ params: { id: edited ?? '' }, body: { data: { text: 'new' } } })
  await full.deleteSubmission({ params: { id: deleted ?? '' } })
  for (const job of [...jobs, ...jobs]) await run(job)
  const once = { by: 'rules', status: 'approved' }
  expect(told).toEqual([{ ...once, id: Number(twice), revision: 1 }])
  for (const job of await claim()) await run(job)
  expect(told.slice(1)).toEqual([{ ...once, id: Number(edited), revision: 2 }])
  await cleanup?.()
  expect((await full.listSubmissions({})).data).toHaveLength(2)
  await submissionJobs({ ...parts, clock: () => clock() + 91 * 86_400 }).cleanup?.()
  expect((await full.listSubmissions({})).data).toEqual([])
})

test('lists and workers walk indexes, and read no more than they need', async () => {
  await using app = await startTestApp({ shadow: false })
  const { appId } = app
  await withQuery(app.databaseUrl, async (query) => {
    await query(
      `insert into moderation_submissions (app_id, id, sender, receiver_type, receiver, category,
         type, data, sent_at, created_at, updated_at, moderation, due_at)
       select $1, n * 64, 'u' || n % 500, case when n % 3 = 0 then 'group' else 'user' end,
              'r' || n % 700, case when n % 5000 = 7 then 'custom' else 'message' end,
              case when n % 5000 = 7 then 'poll' else 'text' end, '{"text": "hello"}', n, n, n,
              jsonb_build_object('status', case when n % 1000 = 3 then 'disapproved'
                when n % 1000 = 4 then 'pending' else 'approved' end), n
       from generate_series(1, 60000) as n`,
      [appId],
    )
    await query(
      `insert into moderation_cases (app_id, message_id, bucket, conversation_key, seq, kind,
         status, verdict, created_at, updated_at)
       select app_id, id, 0, 0, 0, 'blocked', 'open', '{"actions": []}', 1, 1
       from moderation_submissions where status = 'disapproved'`,
      [],
    )
    await query('vacuum (analyze) moderation_submissions, moderation_cases', [])
  })
  await using explainer = await openExplainer(app.databaseUrl)
  const db = (trx: typeof app.db) => ({ appId, db: trx })
  const list = (query: Omit<Parameters<typeof listSubmissions>[1], 'limit'>) => {
    const place = { affix: 'append', id: 64 * 30_000, limit: 10 } as const
    return (trx: typeof app.db) => listSubmissions(db(trx), { ...query, limit: 10 }, place)
  }
  const objections = async (work: (trx: typeof app.db) => Promise<unknown>, ...first: string[]) =>
    (await explainer.plansOf(work, first)).flatMap((plan) =>
      objectionsTo(plan, { partitions: 'many' }),
    )
  const filters = {
    sender: { sender: 'u7' },
    receiver: { receiverUID: 'r7' },
    category: { category: 'custom' },
    type: { type: 'poll' },
    status: { moderationStatus: 'disapproved' },
  } as const
  for (const [by, query] of Object.entries(filters)) {
    expect([by, await objections(list(query))]).toEqual([by, []])
    const without = `drop index moderation_submissions_by_${by}`
    expect([by, await objections(list(query), without)]).not.toEqual([by, []])
  }
  const works: Record<string, (trx: typeof app.db) => Promise<unknown>> = {
    all: list({}),
    group: list({ receiverGUID: 'r9' }),
    pending: list({ moderationStatus: 'pending' }),
    approved: list({ moderationStatus: 'approved' }),
    one: (trx) => findSubmission(db(trx), 64 * 7),
    queue: (trx) => listCases(db(trx), 'blocked', { limit: 10, page: 1 }),
    claim: (trx) => submissionQueue.claim(trx, { most: 10, leaseMs: 1000 }),
    forget: (trx) => deleteOldSubmissions(trx, 50),
  }
  for (const [name, work] of Object.entries(works)) {
    expect([name, await objections(work)]).toEqual([name, []])
  }
})

async function connect(databaseUrl: string) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}
