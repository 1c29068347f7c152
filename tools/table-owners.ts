/**
 * Writes docs/table-owners.md: which module writes which table, by statements and by SQL functions;
 * `--check` only compares. Fails on a table with a second owner. What is known is in table-owners-known.ts.
 */
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { forAllModules, otherWriters, withoutWriter } from './table-owners-known.ts'
import { root } from './tree.ts'
import { writeOrCheck } from './written.ts'

export interface Source {
  /** From the server's src/; of an SQL function, `functions/<module>/<name>.sql`. */
  readonly path: string
  readonly text: string
}

/** That something writes a table. */
export interface Write {
  readonly table: string
  readonly module: string
  /** The file. */
  readonly site: string
}

export interface Known {
  /** Why somebody else than the owner writes a table: by table, then by site. */
  readonly otherWriters: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Files that write tables of all modules, whose names they read elsewhere. */
  readonly forAllModules: Readonly<Record<string, string>>
  /** Tables that no statement of the service writes. */
  readonly withoutWriter: Readonly<Record<string, string>>
}

export interface Findings {
  readonly tables: readonly string[]
  readonly writes: readonly Write[]
  readonly problems: readonly string[]
}

const plainWrite =
  /\b(?:insert\s+into|delete\s+from|merge\s+into|truncate(?:\s+table)?)\s+(?:only\s+)?(\$\{|[a-z_][\w.]*)/gi
const update =
  /\bupdate\s+(?:only\s+)?(\$\{[^}]*\}|[a-z_][\w.]*)(?:\s+(?:as\s+)?[a-z_]\w*)?\s+set\b/gi

/** Stands for a name that is not written out. */
const computed = '${'

/** Names after `insert into` and the like. */
function namesWritten(sql: string): string[] {
  const names = [...sql.matchAll(plainWrite), ...sql.matchAll(update)].map(([, name = '']) =>
    name.startsWith(computed) ? computed : name.toLowerCase().replace(/^public\./, ''),
  )
  return [...new Set(names)]
}

const isSqlFile = (path: string) => path.endsWith('.sql')

const moduleOf = (path: string) => /^(?:domain\/|functions\/)?([^/]+)/.exec(path)?.[1] ?? path

const withoutComments = (sql: string) => sql.replaceAll(/--.*$/gm, '')

export function findWrites(schema: string, sources: readonly Source[], known: Known): Findings {
  const tables = [...schema.matchAll(/^CREATE TABLE (?:public\.)?(\w+)/gm)].map(
    ([, name = '']) => name,
  )
  const byFiles = sources.map((source) => writesOf(source, tables, known))
  const writes = byFiles.flatMap((file) => file.writes)
  const isTable = new Set(tables)
  const elsewhere = writes.filter(({ table }) => !isTable.has(table))
  return {
    tables,
    writes: writes.filter(({ table }) => isTable.has(table)),
    problems: [
      ...hiddenIn(schema, sources),
      ...byFiles.flatMap((file) => file.problems),
      ...elsewhere.map(
        ({ site, table }) =>
          `${site} writes ${table}, which is no table of packages/server/schema.sql`,
      ),
      ...staleFiles(sources, known),
    ],
  }
}

/** What a file writes by its own statements; where a name is computed, the tables that it lists. */
function writesOf({ path, text }: Source, tables: readonly string[], { forAllModules }: Known) {
  const names = namesWritten(isSqlFile(path) ? withoutComments(text) : text)
  const named = names.filter((name) => name !== computed)
  const lists = names.includes(computed) && !(path in forAllModules)
  const listed = lists ? tables.filter((table) => text.includes(`'${table}'`)) : []
  return {
    writes: [...named, ...listed].map((table) => ({ table, module: moduleOf(path), site: path })),
    problems:
      lists && listed.length === 0
        ? [`${path} writes a table whose name it does not say: write it out, or list the names`]
        : [],
  }
}

/** Writes that this tool would not see. */
function hiddenIn(schema: string, sources: readonly Source[]): string[] {
  const files = sources.filter(({ path }) => isSqlFile(path))
  const written = new Set(files.map(({ path }) => basename(path, '.sql')))
  const declared = [...schema.matchAll(/^CREATE (?:FUNCTION|PROCEDURE) (?:public\.)?(\w+)/gm)]
  return [
    ...(/^CREATE RULE\b/m.test(schema)
      ? ['packages/server/schema.sql has a rule: nobody sees what it writes']
      : []),
    ...declared.flatMap(([, name = '']) =>
      written.has(name) ? [] : [`${name}() has no file in packages/server/functions/<module>/`],
    ),
    ...files
      .filter(({ text }) => /\bexecute\b(?! function)/i.test(withoutComments(text)))
      .map(({ path }) => `${path} executes text: write its statements out`),
  ]
}

function staleFiles(sources: readonly Source[], { forAllModules }: Known): string[] {
  return Object.keys(forAllModules)
    .filter(
      (file) =>
        !sources.some(({ path, text }) => path === file && namesWritten(text).includes(computed)),
    )
    .map(
      (file) => `${file} computes no name of a table: remove it from tools/table-owners-known.ts`,
    )
}

export interface Row {
  readonly table: string
  readonly owner: string
  readonly sites: readonly string[]
  readonly others: readonly Write[]
}

const sorted = (names: Iterable<string>) => [...new Set(names)].sort()

/** The owner of each table is who writes it, apart from the known others. */
export function ownersOf(
  { tables, writes }: Findings,
  known: Known,
): { rows: Row[]; problems: string[] } {
  const problems: string[] = []
  const rows = tables.map((table) => {
    const here = writes.filter((write) => write.table === table)
    const isOther = ({ site }: Write) => site in (known.otherWriters[table] ?? {})
    const own = here.filter((write) => !isOther(write))
    const owners = sorted(own.map(({ module }) => module))
    if (owners.length > 1) {
      problems.push(
        `${table} is written by ${own.map(({ module, site }) => `${module} (${site})`).join(', ')}: a table has one owner`,
      )
    }
    if (owners.length === 0 && !(table in known.withoutWriter)) {
      problems.push(`${table} is written by nobody`)
    }
    return {
      table,
      owner: owners.join(', ') || '-',
      sites: sorted(own.map(({ site }) => site)),
      others: here.filter(isOther),
    }
  })
  return { rows, problems: [...problems, ...staleExceptions(rows, known)] }
}

function staleExceptions(rows: readonly Row[], known: Known): string[] {
  const row = (table: string) => rows.find((one) => one.table === table)
  const others = Object.entries(known.otherWriters).flatMap(([table, sites]) =>
    Object.keys(sites)
      .filter((site) => {
        const { owner, others = [] } = row(table) ?? {}
        return !others.some((other) => other.site === site && other.module !== owner)
      })
      .map((site) => `${table}, ${site}`),
  )
  const unwritten = Object.keys(known.withoutWriter).filter((table) => row(table)?.owner !== '-')
  return [...others, ...unwritten].map(
    (what) => `${what}: no exception any more: remove it from tools/table-owners-known.ts`,
  )
}

function pageOf(rows: readonly Row[]): string {
  const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')
  return `${[
    '# Who writes which table',
    '',
    'Generated by `node tools/table-owners.ts`; do not edit. A table has one owner: the module whose statements and SQL',
    'functions write it. Files are below `packages/server/src/`, functions in `packages/server/functions/<module>/`. The',
    'reasons of those who also write it are in `tools/table-owners-known.ts`.',
    '',
    '| Table | Owner | Written in | Also written in |',
    '|---|---|---|---|',
    ...rows.map(
      ({ table, owner, sites, others }) =>
        `| ${table} | ${owner} | ${code(sites)} | ${code(sorted(others.map(({ site }) => site)))} |`,
    ),
  ].join('\n')}\n`
}

function main(): void {
  const folder = join(root, 'packages/server')
  const read = (pattern: string, cwd: string) =>
    globSync(pattern, { cwd })
      // `chorale move` has a database file of its own.
      .filter((path) => !path.endsWith('.test.ts') && !path.startsWith('move/'))
      .sort()
      .map((path) => ({ path, text: readFileSync(join(cwd, path), 'utf8') }))
  const sources = [...read('**/*.ts', join(folder, 'src')), ...read('functions/*/*.sql', folder)]
  const known = { otherWriters, forAllModules, withoutWriter }
  const found = findWrites(readFileSync(join(folder, 'schema.sql'), 'utf8'), sources, known)
  const { rows, problems } = ownersOf(found, known)
  for (const problem of [...found.problems, ...problems]) {
    console.error(problem)
    process.exitCode = 1
  }
  writeOrCheck('docs/table-owners.md', pageOf(rows))
}

if (import.meta.main) main()
