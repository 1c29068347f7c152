import type { Api } from '../packages/contract/src/api.ts'
import type { CallInput } from '../packages/contract/src/operation.ts'
import { encodeKey } from '../packages/server/src/database/keyset.ts'
import { crowd, loadUsers, settleTables, uidOf } from '../packages/testing/src/data/many-users.ts'
import type { ScratchDatabase } from '../packages/testing/src/engines/scratch-database.ts'
import type { Bench, BenchApp, BenchContext } from './harness/context.ts'
import { interleaved, median, percentile, rounded } from './harness/figures.ts'
import type { Report, Table } from './harness/report.ts'

const sizes = { small: 10_000, large: 1_000_000 } as const
const rounds = 200
const roundsOfInformation = 30
const maxRatio = 1.5
const perPage = 100

type Size = keyof typeof sizes
type Apps = Readonly<Record<Size, BenchApp>>
type Call = (app: BenchApp, size: Size, round: number) => Promise<unknown>

export const bench: Bench = {
  name: 'users',
  summary: 'a million users in an app against ten thousand: lists, pages, create, get',
  async run(ctx) {
    const database = await ctx.freshDatabase()
    const server = await ctx.startServer(database.url)
    const apps = { small: await server.newApp('small'), large: await server.newApp('large') }
    await load(ctx, database, apps)
    const calls = await promisedCalls(database, apps)
    ctx.say(`measuring, ${rounds} rounds each`)
    const promised = await measure(apps, calls, rounds)
    const information = await measure(apps, informativeCalls, roundsOfInformation)
    return report(promised, information)
  },
}

async function load(ctx: BenchContext, { query }: ScratchDatabase, apps: Apps): Promise<void> {
  for (const size of ['small', 'large'] as const) {
    ctx.say(`loading ${sizes[size]} users`)
    await loadUsers(query, apps[size].appId, sizes[size])
  }
  await settleTables(query)
}

/** What must not depend on the size of the app. */
async function promisedCalls({ query }: ScratchDatabase, apps: Apps) {
  // The small app has 95 pages of active users: its deep page is one in the middle.
  const pagesDeep = { small: 50, large: 1000 } as const
  const cursors = {
    small: await cursorBehind(query, apps.small, pagesDeep.small),
    large: await cursorBehind(query, apps.large, pagesDeep.large),
  }
  const first: Call = ({ client }) => client.listUsers({ query: { perPage } })
  const deep: Call = ({ client }, size) =>
    client.listUsers({ query: { perPage, cursor: cursors[size] } })
  const create: Call = ({ client }, _, round) =>
    client.createUser({ body: { uid: `new-${round}`, name: `New User ${round}` } })
  // 7919 and both sizes have no common divisor: every round asks for another user.
  const get: Call = ({ client }, size, round) =>
    client.getUser({ params: { uid: uidOf(activeNth(1 + ((round * 7919) % (sizes[size] - 20)))) } })
  return {
    'list, first page': first,
    'list, 1,000 pages deep': deep,
    'create user': create,
    'get user': get,
  }
}

/** Every twentieth is deactivated, and answers 404. */
function activeNth(n: number): number {
  return n % 20 === 19 ? n + 1 : n
}

async function cursorBehind(
  query: ScratchDatabase['query'],
  { appId }: BenchApp,
  pages: number,
): Promise<string> {
  const rows = (await query(
    `select sort_name as name, uid from users
     where app_id = $1 and deactivated_at is null and uid <> 'app_system'
     order by sort_name, uid limit 1 offset $2`,
    [appId, pages * perPage - 1],
  )) as { name: string; uid: string }[]
  return encodeKey([rows[0]?.name ?? '', rows[0]?.uid ?? ''])
}

type Query = CallInput<Api['listUsers']>['query']

const filters: Readonly<Record<string, Query>> = {
  'role, common': { role: crowd.roles.common },
  'role, 2 %': { role: crowd.roles.some },
  'role, rare': { role: crowd.roles.rare },
  'two roles': { roles: [crowd.roles.some, crowd.roles.rare] },
  'tag, common': { tags: [crowd.tags.common] },
  'tag, 1 %': { tags: [crowd.tags.some] },
  'tag, rare': { tags: [crowd.tags.rare] },
  'name prefix, common': { searchKey: 'a' },
  'name prefix, rare': { searchKey: 'zoe z. zimmer' },
  'uid prefix, common': { searchKey: crowd.uidPrefix },
  'uid prefix, 0.4 %': { searchKey: `${crowd.uidPrefix}ab` },
  'uid prefix, rare': { searchKey: `${crowd.uidPrefix}abcdef` },
  'prefix of nobody': { searchKey: 'qqq' },
  'status available': { status: 'available' },
  'status offline': { status: 'offline' },
  'with deactivated': { withDeactivated: true },
  'only deactivated': { onlyDeactivated: true },
  'exact count': { count: true },
}

const informativeCalls: Readonly<Record<string, Call>> = {
  ...Object.fromEntries(
    Object.entries(filters).map(([what, filter]): [string, Call] => [
      what,
      ({ client }) => client.listUsers({ query: { ...filter, perPage } }),
    ]),
  ),
  'the last page by number': ({ client }, size) =>
    client.listUsers({ query: { perPage, page: size === 'large' ? 1000 : 95 } }),
}

interface Measured {
  readonly what: string
  readonly small: readonly number[]
  readonly large: readonly number[]
}

async function measure(
  apps: Apps,
  calls: Readonly<Record<string, Call>>,
  times: number,
): Promise<Measured[]> {
  const measured: Measured[] = []
  for (const [what, call] of Object.entries(calls)) {
    const { small, large } = await interleaved(times, {
      small: (round) => call(apps.small, 'small', round),
      large: (round) => call(apps.large, 'large', round),
    })
    measured.push({ what, small, large })
  }
  return measured
}

function report(promised: readonly Measured[], information: readonly Measured[]): Report {
  return {
    tables: [
      table(`What must not depend on the size (median of ${rounds})`, promised),
      table(
        `For information: the first page with filters (median of ${roundsOfInformation})`,
        information,
      ),
    ],
    goals: promised.map((one) => ({
      what: `${one.what}, 1M / 10k`,
      value: ratio(one),
      atMost: maxRatio,
    })),
    notes: ['Milliseconds over HTTP, with server, database and load on the same machine.'],
  }
}

function ratio({ small, large }: Measured): number {
  return rounded(median(large) / median(small))
}

function table(title: string, measured: readonly Measured[]): Table {
  return {
    title,
    rows: measured.map((one) => ({
      call: one.what,
      '10k ms': rounded(median(one.small)),
      '1M ms': rounded(median(one.large)),
      '1M p95 ms': rounded(percentile(one.large, 0.95)),
      ratio: ratio(one),
    })),
  }
}
