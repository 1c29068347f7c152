import { importItems } from '../packages/server/src/move/batches.ts'
import { Side } from '../packages/server/src/move/side.ts'
import type { Bench, BenchContext } from './harness/context.ts'
import { loadConversations } from './harness/conversations.ts'
import { rounded } from './harness/figures.ts'
import { pacedSends, runInSeconds } from './harness/paced.ts'

const talks = 40
const perCall = 500
const workers = 2
const text = 'x'.repeat(100)

/** Messages of groups, and of two users with the times at which they were read. */
const kinds = ['group', 'user'] as const
type Kind = (typeof kinds)[number]

export const bench: Bench = {
  name: 'imports',
  summary: `messages imported in calls of ${perCall}, ${workers} at a time, and sends of an app beside it`,
  async run(ctx) {
    const { url, query } = await ctx.freshDatabase()
    const { origin, appId, apiKey } = await ctx.serve(url)
    const side = new Side({ url: `${origin}/v3`, appId, apiKey, parallel: workers })
    await importPeople(side)
    const seconds = ctx.options.seconds ?? 10
    const rows = []
    for (const kind of kinds) {
      ctx.say(`${seconds} s of messages, receiver: ${kind}`)
      const perSecond = await measure(side, kind, seconds)
      rows.push({ receiver: kind, 'messages/s': Math.round(perSecond) })
    }
    const beside = await measureBeside(ctx, seconds)
    const [stored] = (await query('select count(*)::int as n from entries', [])) as { n: number }[]
    const least = Math.min(...rows.map((row) => row['messages/s']))
    return {
      tables: [
        { title: 'Imported', rows },
        { title: `Sends of another app, ${sendsPerSecond}/s`, rows: beside.rows },
      ],
      goals: [
        { what: 'messages/s, the slower kind', value: rounded(least), atLeast: 500 },
        {
          what: 'send p99 beside an import, times without, the median',
          value: beside.times,
          atMost: 2,
        },
      ],
      notes: [`${stored?.n} messages of ${text.length} characters are stored, with unread counts.`],
    }
  },
}

const sendsPerSecond = 50
const rounds = 5
/** More than what is imported in one round. */
const perRound = 10_000_000

/**
 * Another app of the same process sends, without an import and beside one, in turns: PostgreSQL
 * analyses tables now and then, in whatever round that is.
 */
async function measureBeside(ctx: BenchContext, seconds: number) {
  const { url, query } = await ctx.freshDatabase()
  const { serving, apps } = await ctx.serveTogether(url, ['live', 'moving'], [])
  const live = { origin: serving.origin, ...apps.live }
  await loadConversations(query, [apps.live.appId])
  const side = new Side({ url: `${serving.origin}/v3`, ...apps.moving, parallel: workers })
  await importPeople(side)
  // Tables as those of apps that are in use, and plans made for them.
  await measure(side, 'group', seconds)
  await query('vacuum analyze', [])
  await pacedSends(live, { perSecond: 300, seconds })
  const pace = { perSecond: sendsPerSecond, seconds }
  const rows = []
  for (let round = 1; round <= rounds; round++) {
    ctx.say(
      `round ${round} of ${rounds}: ${seconds} s of sends alone, ${seconds} s beside an import`,
    )
    const alone = await pacedSends(live, pace)
    const [among, imported] = await Promise.all([
      pacedSends(live, pace),
      measure(side, 'group', seconds + runInSeconds, round * perRound),
    ])
    rows.push({
      'p50 ms alone': rounded(alone.p50Ms),
      beside: rounded(among.p50Ms),
      'p99 ms alone': rounded(alone.p99Ms),
      'p99 beside': rounded(among.p99Ms),
      times: rounded(among.p99Ms / alone.p99Ms),
      'imported messages/s': Math.round(imported),
    })
  }
  const ordered = rows.map(({ times }) => times).toSorted((one, two) => one - two)
  return { times: ordered[Math.floor(rounds / 2)] ?? Number.NaN, rows }
}

async function importPeople(to: Side): Promise<void> {
  const users = new Map<string, object>()
  const groups = new Map<string, object>()
  for (let nth = 0; nth < talks; nth++) {
    for (const uid of [`a${nth}`, `b${nth}`]) users.set(uid, { uid, name: uid, createdAt: 1 })
    const guid = `g${nth}`
    groups.set(guid, { guid, name: guid, type: 'public', owner: `a${nth}`, createdAt: 1 })
  }
  await importItems({ to, kind: 'users' }, users)
  await importItems({ to, kind: 'groups' }, groups)
}

async function measure(to: Side, kind: Kind, seconds: number, first = 0): Promise<number> {
  const started = Date.now()
  const until = started + seconds * 1000
  let number = first
  const work = async (worker: number) => {
    let stored = 0
    for (let call = 0; Date.now() < until; call++) {
      const items = new Map<string, object>()
      for (let nth = 0; nth < perCall; nth++) {
        const item = messageOf(kind, worker, first + call * perCall + nth, number++)
        items.set(item.muid, item)
      }
      const beside = { unread: true }
      const outcomes = await importItems(
        { to, kind: 'messages', with: beside, most: perCall },
        items,
      )
      const failed = [...outcomes.values()].find(({ success }) => !success)
      if (failed) throw new Error(`A message was refused: ${failed.error?.message}`)
      stored += outcomes.size
    }
    return stored
  }
  const all = await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)))
  return all.reduce((sum, one) => sum + one, 0) / ((Date.now() - started) / 1000)
}

/** Each worker has conversations of its own. */
function messageOf(kind: Kind, worker: number, nth: number, number: number) {
  const talk = (nth % (talks / workers)) * workers + worker
  const sentAt = 1_600_000_000 + nth
  return {
    muid: `${kind}-${number}`,
    sender: `a${talk}`,
    receiverType: kind,
    receiver: kind === 'group' ? `g${talk}` : `b${talk}`,
    sentAt,
    data: { text },
    ...(kind === 'user' && { deliveredAt: sentAt + 1, readAt: sentAt + 2 }),
  }
}
