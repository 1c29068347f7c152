import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import type { Db } from '../../../server/src/database/db.ts'

/** A node of `explain (analyze, buffers, format json)`, as far as it is looked at. */
interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Loops': number
  readonly 'Actual Rows': number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Node[]
}

interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

/** Explains statements on a connection of its own; what they change is undone. */
export interface Explainer extends AsyncDisposable {
  /** The plans of all statements that `work` runs. */
  plansOf(work: (db: Db) => Promise<unknown>, first?: readonly string[]): Promise<Node[]>
  /** The plans of the statements inside a function, made for these values and for any. */
  plansInside(name: string, values: readonly string[]): Promise<Node[]>
}

export async function openExplainer(databaseUrl: string): Promise<Explainer> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const inVain = async <T>(work: () => Promise<T>): Promise<T> => {
    await client.query('begin')
    try {
      return await work()
    } finally {
      await client.query('rollback')
    }
  }
  const explain = async ({ text, values }: Statement): Promise<Node> => {
    const { rows } = await client.query(`explain (analyze, buffers, format json) ${text}`, [
      ...values,
    ])
    return rows[0]['QUERY PLAN'][0].Plan
  }
  return {
    plansOf: (work, first = []) =>
      inVain(async () => {
        for (const statement of first) await client.query(statement)
        const statements: Statement[] = []
        await client.query('savepoint before')
        await work(recording(client, statements))
        await client.query('rollback to before')
        const plans: Node[] = []
        for (const statement of statements) plans.push(await explain(statement))
        return plans
      }),
    plansInside: (name, values) =>
      inVain(async () => {
        const { statements, types, settings } = await insideOf(client, name)
        for (const setting of settings) await client.query(`set local ${setting}`)
        await client.query('deallocate all')
        const plans: Node[] = []
        for (const mode of ['force_custom_plan', 'force_generic_plan']) {
          await client.query(`set local plan_cache_mode = ${mode}`)
          for (const [place, text] of statements.entries()) {
            const prepared = `inside_${mode}_${place}`
            await client.query(`prepare ${prepared} (${types.join(', ')}) as ${text}`)
            await client.query('savepoint before')
            const call = `execute ${prepared} (${values.map(pg.escapeLiteral).join(', ')})`
            plans.push(await explain({ text: call, values: [] }))
            await client.query('rollback to before')
          }
        }
        return plans
      }),
    [Symbol.asyncDispose]: () => client.end(),
  }
}

/** Runs what it is given on this connection, and remembers it. */
function recording(client: pg.Client, statements: Statement[]): Db {
  const query = (text: string, values: readonly unknown[]) => {
    statements.push({ text, values })
    return client.query(text, [...values])
  }
  const connection = { query, release: () => undefined }
  return new Kysely({
    dialect: new PostgresDialect({
      pool: {
        options: {},
        // Without cursors, which are not in use here, this is all of the interface.
        connect: async () => connection as unknown as PostgresPoolClient,
        end: async () => undefined,
      },
    }),
  })
}

const farAhead = { bigint: '1000000000::bigint', 'bigint[]': "('{1000000000}'::bigint[])" }

/** The SQL of a PL/pgSQL function, with `$n` for its parameters; its settings. */
async function insideOf(client: pg.Client, name: string) {
  const { rows } = await client.query(
    `select prosrc as body, proargnames as names, proconfig as settings,
            array(select format_type(t, null) from unnest(proargtypes) as t) as types
     from pg_proc where proname = $1`,
    [name],
  )
  const [{ body, names, settings, types }] = rows as [
    { body: string; names: string[]; settings: string[] | null; types: string[] },
  ]
  const [declared = '', inside = ''] = body.replaceAll(/--.*$/gm, '').split(/^begin$/m)
  const variables = [...declared.matchAll(/(\w+) (bigint(?:\[\])?);/g)].map(
    ([, name = '', type = '']) => ({ name, value: farAhead[type as keyof typeof farAhead] }),
  )
  const statements = inside.split(';').flatMap((text) => {
    const sql =
      /^\s*(?:return query\s+|if [\s\S]*? then\s+)?((?:with|update|insert|select)\b[\s\S]*)$/.exec(
        text,
      )?.[1]
    if (sql === undefined) return []
    const standing = variables.reduce(
      // What an earlier statement found out: heads behind every entry there is.
      (said, { name, value }) => said.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), value),
      sql.replace(/\binto [a-z_]+(, [a-z_]+)*(?=\s*$| from moved)/, ''),
    )
    return types.reduce(
      (said, _, place) =>
        said.replaceAll(new RegExp(`\\b${names[place]}\\b`, 'g'), `$${place + 1}`),
      standing,
    )
  })
  if (statements.length === 0) throw new Error(`There is no statement in ${name}.`)
  return { statements, types, settings: settings ?? [] }
}

export interface Promised {
  /** Of each partitioned table, the rows of one conversation: all in the partition of its bucket. */
  readonly partitions: 'one' | 'many'
}

/** A row too many here and there is an accident, hundreds are a missing index. */
const maxRowsInVain = 50

/** Down an index and over to the row, with room for dead ones on the way: per call of a node. */
const maxBlocks = (rows: number) => 20 + 5 * rows

/** What a plan did that a prepared statement must not do. */
export function objectionsTo(plan: Node, promised: Promised): string[] {
  const scans = nodesOf(plan).filter(
    (node) => node['Node Type'].endsWith('Scan') && node['Actual Loops'] > 0,
  )
  const onTables = scans.filter((node) => node['Relation Name'] !== undefined)
  const partitions = new Set(
    onTables.flatMap((node) => /_(\d+)$/.exec(node['Relation Name'] ?? '')?.[1] ?? []),
  )
  return [
    ...onTables.flatMap((node) =>
      /^(?:Index|Bitmap|Tid)/.test(node['Node Type'])
        ? []
        : [`${node['Node Type']} on ${node['Relation Name']}`],
    ),
    ...onTables.flatMap((node) => {
      const inVain = node['Rows Removed by Filter'] ?? 0
      return inVain > maxRowsInVain ? [`${inVain} rows of ${node['Relation Name']} in vain`] : []
    }),
    // With a scan by addresses of rows that is counted what has found the addresses.
    ...onTables.flatMap((node) => {
      if (node['Node Type'] === 'Tid Scan') return []
      const loops = node['Actual Loops']
      const blocks = (node['Shared Hit Blocks'] + node['Shared Read Blocks']) / loops
      const allowed = maxBlocks(node['Actual Rows'])
      return blocks > allowed ? [`${blocks} blocks of ${node['Relation Name']}`] : []
    }),
    ...(promised.partitions === 'one' && partitions.size > 1
      ? [`${partitions.size} partitions: ${[...partitions].sort().join(', ')}`]
      : []),
  ]
}

function nodesOf(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}
