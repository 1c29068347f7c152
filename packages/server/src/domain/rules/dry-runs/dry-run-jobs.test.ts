import type { DryRunMatch } from '@chorale/contract/rules'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  loadGroups,
  settleEntries,
  withQuery,
} from '../../../../../testing/src/data/many-entries.ts'
import { objectionsTo, openExplainer } from '../../../../../testing/src/data/plans.ts'
import { natsPrefix } from '../../../../../testing/src/engines/nats-prefix.ts'
import {
  type MortalServer,
  startMortalServer,
} from '../../../../../testing/src/processes/mortal-server.ts'
import { settingsFor } from '../../../../../testing/src/processes/program.ts'
import { referencePlaces } from '../../../../../testing/src/rules/reference-words.ts'
import { seeded } from '../../../../../testing/src/seeded.ts'
import { watchRows } from '../../../../../testing/src/service/row-watch.ts'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'
import { dryRunQueue } from './dry-run-jobs.sql.ts'
import { findScenes, newestIdOf, sentAtFrom, walkEntries } from './dry-run-walk.sql.ts'

const day = 86_400
const wait = { timeout: 30_000, interval: 20 }

describe('what a run finds', async () => {
  let now = Math.floor(Date.now() / 1000) - 8 * day
  const live = { listeners: [], settings: { NATS_PREFIX: natsPrefix() } }
  const app = await startTestApp({ shadow: false, sockets: false, clock: () => now, live })
  afterAll(() => app[Symbol.asyncDispose]())
  const full = app.as('full')
  const stranger = await app.anotherApp()
  const random = seeded('dry runs')

  // Words of many scripts: accents, capitals, letters of two code units, signs between and around.
  const forbidden = [
    'spam',
    'naïve',
    'привет',
    '垃圾',
    'ふざけ',
    'مرحبا',
    'नमस्ते',
    '𝐛𝐨𝐥𝐝',
    '🍆',
    'straße',
  ]
  const harmless = ['hello', 'spammer', 'Ωραία', '你好', '👩‍👩‍👧', 'a', 'שלום', 'मैं', '안녕', '😀😀']
  const disguised = [
    'SPAM',
    'NAÏVE',
    'Reference',
    'ПРИВЕТ',
    'bold',
    'STRASSE',
    'ｓｐａｍ',
    'spam!',
    '«spam»',
  ]

  interface Told {
    readonly id: string
    readonly text: string
    readonly sender: string
    readonly conversationId: string
  }
  const said: Told[] = []

  const randomText = () =>
    Array.from({ length: 1 + random.below(8) }, () =>
      random.pick(random.chance(0.06) ? [...forbidden, ...disguised] : harmless),
    ).join(random.chance(0.9) ? ' ' : '')

  async function say(client: typeof full, text: string): Promise<Told> {
    const sender = random.pick(['ann', 'bob'])
    const [receiver, receiverType] = random.chance(0.3)
      ? (['tea', 'group'] as const)
      : ([sender === 'ann' ? 'bob' : 'ann', 'user'] as const)
    const body = { receiver, receiverType, data: { text } }
    const { data } = await client.sendMessage({ onBehalfOf: sender, body })
    if (!('id' in data)) throw new Error('One receiver, one message.')
    const { id, conversationId } = data
    return { id, text, sender, conversationId }
  }

  async function sayMany(client: typeof full, count: number): Promise<Told[]> {
    const told: Told[] = []
    for (let n = 0; n < count; n += 100) {
      told.push(
        ...(await Promise.all(Array.from({ length: 100 }, () => say(client, randomText())))),
      )
    }
    return told
  }

  beforeAll(async () => {
    for (const client of [full, app.client(stranger, 'full')]) {
      for (const uid of ['ann', 'bob']) await client.createUser({ body: { uid, name: uid } })
      const owner = { owner: 'ann', members: { participants: ['bob'] } }
      await client.createGroup({ body: { guid: 'tea', name: 'Tea', type: 'public', ...owner } })
    }
    await sayMany(full, 300)
    now += 2 * day
    said.push(...(await sayMany(full, 2500)))
    await sayMany(app.client(stranger, 'full'), 300)
    now += 6 * day
    const conditions = [{ value: forbidden.slice(0, 6) }, { value: forbidden.slice(5) }]
    await full.createRule({ body: { id: 'words', conditions } })
    const fewer = [
      { value: forbidden.slice(0, 8), disguises: true },
      { value: ['hello'], operator: 'equals' as const },
    ]
    await full.updateRule({ params: { ruleId: 'words' }, body: { conditions: fewer } })
  })

  /** Where any of the words is, found the obvious way. */
  function spansIn(
    text: string,
    words: readonly string[],
    how: 'word' | 'whole',
    disguises = false,
  ) {
    const places = words.flatMap((word) =>
      referencePlaces(text, { text: word, how, disguises, target: 0 }),
    )
    return [...new Set(places)]
      .map((place) => place.split('-').map(Number))
      .map(([start = 0, end = 0]) => ({ operand: 'text', start, end }))
      .sort((one, other) => one.start - other.start || one.end - other.end)
  }

  type Spans = ReturnType<typeof spansIn>
  const first = (text: string) => [
    spansIn(text, forbidden.slice(0, 6), 'word'),
    spansIn(text, forbidden.slice(5), 'word'),
  ]
  const second = (text: string) => [
    spansIn(text, forbidden.slice(0, 8), 'word', true),
    spansIn(text, ['hello'], 'whole'),
  ]

  function findingOf(rule: 'a' | 'b', conditions: readonly Spans[]) {
    const found = conditions.flatMap((spans, n) => (spans.length > 0 ? [{ id: n + 1, spans }] : []))
    return found.length > 0 ? [{ rule, conditions: found }] : []
  }

  /** Newest first, as a run should find them. */
  function bruteForce(among: readonly Told[], rules: readonly ((text: string) => Spans[])[]) {
    return among
      .map(({ text, ...told }) => ({
        ...told,
        findings: rules.flatMap((rule, n) => findingOf(n === 0 ? 'a' : 'b', rule(text))),
      }))
      .filter(({ findings }) => findings.length > 0)
      .sort((one, other) => Number(other.id) - Number(one.id))
  }

  const comparable = ({ messageId, sender, conversationId, findings }: DryRunMatch) => ({
    id: messageId,
    sender,
    conversationId,
    findings,
  })

  async function finished(id: string) {
    const read = async (page: number) =>
      (await full.getDryRun({ params: { dryRunId: id }, query: { page } })).data
    await expect.poll(async () => (await read(1)).status, wait).toBe('done')
    const run = await read(1)
    const matches: DryRunMatch[] = []
    for (let page = 1; page < 17; page++) matches.push(...(await read(page)).matches)
    return { ...run, matches }
  }

  const params = { ruleId: 'words' }
  const revision = (n: number) => `${app.appId}_words_${n}`

  test('is what each message for itself gives, span by span, and nothing of another app', async () => {
    await using watch = await watchRows(app.databaseUrl)
    // What is published leaves the outbox, a moment later.
    const unpublished = async () =>
      (await sql`select from outbox where app_id = ${stranger.appId}`.execute(app.db)).rows.length
    await expect.poll(unpublished, wait).toBe(0)
    const before = await watch.writesTo(stranger.appId)
    const { data } = await full.dryRunRule({ params, body: { revisionId: revision(1) } })
    const run = await finished(data.id)
    const expected = bruteForce(said, [first])
    expect(expected.length).toBeGreaterThan(300)
    expect(run.matches.map(comparable)).toEqual(expected.slice(0, 500))
    expect(run.counts).toEqual({
      caught: expected.length,
      onlyA: expected.length,
      onlyB: 0,
      both: 0,
    })
    expect(run.progress).toEqual({ scanned: said.length, total: said.length })
    expect(await watch.writesTo(stranger.appId)).toBe(before)
  })

  test('of two revisions: in which of them each was caught', async () => {
    const body = { revisionId: revision(1), compareWith: revision(2) }
    const run = await finished((await full.dryRunRule({ params, body })).data.id)
    const expected = bruteForce(said, [first, second])
    const kindOf = ({ findings }: (typeof expected)[number]) =>
      findings.length > 1 ? 'both' : findings[0]?.rule
    const { onlyA, onlyB, both, caught } = run.counts
    const sizes = (['a', 'b', 'both'] as const).map(
      (kind) => expected.filter((one) => kindOf(one) === kind).length,
    )
    expect([onlyA, onlyB, both]).toEqual(sizes)
    expect(Math.min(...sizes)).toBeGreaterThan(10)
    expect(caught).toBe(expected.length)
    for (const caughtBy of ['a', 'b', 'both'] as const) {
      const { data } = await full.getDryRun({
        params: { dryRunId: run.id },
        query: { caughtBy },
      })
      const wanted = expected.filter((one) => kindOf(one) === caughtBy).slice(0, 100)
      expect(data.matches.map(comparable)).toEqual(wanted)
      expect(new Set(data.matches.map((match) => match.caughtBy))).toEqual(new Set([caughtBy]))
    }
  })

  test('however much is caught is counted; the newest 500 are listed', async () => {
    const draft = { conditions: [{ category: 'pattern' as const, value: '.' }] }
    const run = await finished((await full.dryRunDraft({ body: { draft } })).data.id)
    expect(run.counts.caught).toBe(said.length)
    const newest = said.map(({ id }) => Number(id)).sort((one, other) => other - one)
    expect(run.matches.map(({ messageId }) => Number(messageId))).toEqual(newest.slice(0, 500))
  })

  test('filters let pass whom they do not mean', async () => {
    const sender = { type: 'sender', entity: 'user', operand: 'uid' } as const
    const group = { type: 'receiver', entity: 'group', operand: 'name' } as const
    const filters = [
      { ...sender, operator: 'equals' as const, value: 'ann' },
      { ...group, operator: 'startsWith' as const, value: 'te' },
    ]
    const run = await finished(
      (await full.dryRunRule({ params, body: { draft: { filters } } })).data.id,
    )
    const meant = said.filter((one) => one.sender === 'ann' && one.conversationId === 'group_tea')
    expect(run.matches.map(comparable)).toEqual(bruteForce(meant, [second]))
    expect(run.matches.length).toBeGreaterThan(10)
  })

  test('further back it looks at more; what is deleted it does not see, what is edited as it is', async () => {
    const draft = { conditions: [{ value: 'zebra' }] }
    const edited = await say(full, 'good morning')
    const deleted = await say(full, 'a zebra')
    const onBehalfOf = edited.sender
    const data = { text: 'Zebra crossing' }
    await full.editMessage({ params: { id: edited.id }, onBehalfOf, body: { data } })
    await full.deleteMessage({ params: { id: deleted.id }, onBehalfOf: deleted.sender })
    const run = await finished((await full.dryRunDraft({ body: { days: 10, draft } })).data.id)
    expect(run.matches.map(({ messageId }) => messageId)).toEqual([edited.id])
    expect(run.matches[0]?.findings[0]?.conditions).toEqual([
      { id: 1, spans: [{ operand: 'text', start: 0, end: 5 }] },
    ])
    expect(run.progress.scanned).toBe(said.length + 300 + 1)
    said.push({ ...edited, text: data.text })
  })

  test('what a rule in force has withheld is looked at too', async () => {
    await full.createRule({ body: { id: 'walrus', conditions: [{ value: 'walrus' }] } })
    const { id } = await say(full, 'a walrus')
    const { rows } = await sql`select erased from entries where id = ${id}`.execute(app.db)
    expect(rows).toEqual([{ erased: true }])
    for (const operand of ['text', 'custom'] as const) {
      const conditions = [{ value: 'walrus' }, { operand, value: 'nothing' }]
      const run = await finished(
        (await full.dryRunDraft({ body: { draft: { conditions } } })).data.id,
      )
      expect(run.matches.map(({ messageId }) => messageId)).toEqual([id])
    }
  })
})

describe('a run of many ranges', async () => {
  const groups = 400
  const entries = 200
  const now = 1_700_000_100
  // The worker is woken by the service.
  const bus = { NATS_PREFIX: natsPrefix() }
  const app = await startTestApp({ shadow: false, clock: () => now, live: {}, settings: bus })
  const stack = new AsyncDisposableStack()
  stack.use(app)
  let worker: MortalServer
  afterAll(() => stack.disposeAsync())
  const full = app.as('full')
  const draft = { conditions: [{ value: '7, 123' }] }
  const begin = async () => (await full.dryRunDraft({ body: { draft } })).data.id
  const read = async (dryRunId: string) => (await full.getDryRun({ params: { dryRunId } })).data

  beforeAll(async () => {
    const settings = { ...settingsFor(app.databaseUrl), ...bus, CHORALE_MASTER_KEY: app.masterKey }
    worker = stack.use(await startMortalServer(settings, '--parts', 'worker'))
    await full.createUser({ body: { uid: 'many-1', name: 'Many' } })
    await full.createUser({ body: { uid: 'many-2', name: 'Many' } })
    await withQuery(app.databaseUrl, async (query) => {
      await loadGroups(query, app.appId, { prefix: 'many', groups, members: 2, entries })
      await settleEntries(query)
      await query(waitAfterTheFirst)
    })
  })

  // However fast the machine is: nobody does the second range before the test says so.
  const waitAfterTheFirst = `
    create function wait_long() returns trigger language plpgsql as $$
    begin
      new.due_at := ${Number.MAX_SAFE_INTEGER};
      return new;
    end $$;
    create trigger wait_long before update on moderation_dry_runs for each row
    when (old.scanned = 0 and new.scanned > 0) execute function wait_long()`

  async function halfway(id: string) {
    await expect.poll(async () => (await read(id)).progress.scanned, wait).toBeGreaterThan(0)
    const run = await read(id)
    expect(run.status).toBe('running')
    expect(run.progress.scanned).toBeLessThan(groups * entries)
    expect(run.progress.total).toBeGreaterThan(run.progress.scanned)
  }

  async function goOn(id: string) {
    await sql`update moderation_dry_runs set due_at = 0 where run_id = ${id}`.execute(app.db)
    app.wake(dryRunQueue)
  }

  /** Statements that would record a range, but have to wait. */
  async function recording(what = sql`pid`) {
    const { rows } = await sql`
      select ${what} from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and query like '%moderation_dry_run_matches%'`.execute(app.db)
    return rows
  }

  async function isInHand(id: string): Promise<boolean> {
    const { rows } = await sql`
      select from moderation_dry_runs where run_id = ${id} and attempt > 0`.execute(app.db)
    return rows.length > 0
  }

  test('goes on where it was when its worker is killed, and finds everything once', async () => {
    const id = await begin()
    await halfway(id)
    const { scanned } = (await read(id)).progress
    await withQuery(app.databaseUrl, async (query) => {
      // Nobody brings the second range to its end.
      await query('begin')
      await query('lock table moderation_dry_run_matches in exclusive mode')
      await goOn(id)
      await expect.poll(async () => (await recording()).length, wait).toBeGreaterThan(0)
      await worker.kill()
      await recording(sql`pg_terminate_backend(pid, 10000)`)
      await query('rollback')
    })
    expect(await isInHand(id)).toBe(true)
    expect((await read(id)).progress.scanned).toBe(scanned)
    await worker.start()
    await expect.poll(async () => (await read(id)).status, wait).toBe('done')
    const run = await read(id)
    expect(run.progress).toEqual({ scanned: groups * entries, total: groups * entries })
    expect(run.counts.caught).toBe(groups * 2)
  })

  test('ends where it was when it is cancelled', async () => {
    const id = await begin()
    await halfway(id)
    await full.cancelDryRun({ params: { dryRunId: id } })
    const { matches: _, ...cancelled } = await read(id)
    expect(cancelled).toMatchObject({ status: 'cancelled', endedAt: now })
    const next = await begin()
    await halfway(next)
    await goOn(next)
    await expect.poll(async () => (await read(next)).status, wait).toBe('done')
    expect(await read(id)).toMatchObject(cancelled)
  })

  test('walks indexes, and reads no more than it needs', async () => {
    await using explainer = await openExplainer(app.databaseUrl)
    const db = (trx: typeof app.db) => ({ appId: app.appId, db: trx })
    const last = (await newestIdOf(app)) ?? 0
    const way = { since: 0, from: 0, below: Math.floor(last / 2), most: 500 }
    const some = (await walkEntries(app, { ...way, textsOnly: true })).map(({ id }) => id)
    const works: Record<string, (trx: typeof app.db) => Promise<unknown>> = {
      walk: (trx) => walkEntries(db(trx), { ...way, textsOnly: false }),
      texts: (trx) => walkEntries(db(trx), { ...way, textsOnly: true }),
      newest: (trx) => newestIdOf(db(trx)),
      'sent at': (trx) => sentAtFrom(db(trx), Math.floor(last / 2)),
      scenes: (trx) => findScenes(db(trx), some),
    }
    for (const [name, work] of Object.entries(works)) {
      const plans = await explainer.plansOf(work)
      const objections = plans.flatMap((plan) => objectionsTo(plan, { partitions: 'many' }))
      expect([name, objections]).toEqual([name, []])
    }
  })
})
