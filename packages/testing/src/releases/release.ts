import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Program, programIn, root } from '../processes/program.ts'

/** Another version of the code than that of this clone, in a folder of its own. */
interface Release extends Program, AsyncDisposable {}

const run = promisify(execFile)
const git = async (...args: readonly string[]) =>
  (await run('git', ['-C', root, ...args])).stdout.trim()

/** What the program is made of. */
const workspaces = ['contract', 'sdk', 'server']
const paths = ['package.json', ...workspaces.map((name) => `packages/${name}`)]

/** The commit before that which brought the newest migration; undefined: git does not know it. */
export async function commitBeforeNewestMigration(): Promise<string | undefined> {
  const migrations = 'packages/server/migrations'
  try {
    if (await git('status', '--porcelain', '--', migrations)) return await git('rev-parse', 'HEAD')
    const newest = await git('log', '-1', '--format=%H', '--', migrations)
    return await git('rev-parse', '--verify', `${newest}^`)
  } catch {
    // No git, no repository, or a clone that lacks the parent.
    return undefined
  }
}

/** With the dependencies that are installed here. */
export function releaseOfCommit(commit: string): Promise<Release> {
  return releaseIn(async (folder) => {
    const archive = join(folder, 'release.tar')
    await git('archive', '--output', archive, commit, ...paths)
    await run('tar', ['-xf', archive, '-C', folder])
  })
}

/**
 * What a next release may bring: columns in the two largest tables, an index made concurrently, and a
 * function that has another body.
 */
export function madeUpNextRelease(): Promise<Release> {
  return releaseIn(async (folder) => {
    for (const path of paths) {
      const filter = (source: string) => !source.endsWith('.test.ts')
      await cp(join(root, path), join(folder, path), { recursive: true, filter })
    }
    const server = join(folder, 'packages/server')
    const names = await readdir(join(server, 'migrations'))
    const next = 1 + Math.max(...names.map((name) => Number.parseInt(name, 10)))
    const write = (number: number, text: string) =>
      writeFile(join(server, 'migrations', `${String(number).padStart(4, '0')}-next.sql`), text)
    await write(next, 'alter table entries add column made_up text;')
    await write(next + 1, 'alter table users add column made_up text;')
    await write(
      next + 2,
      `-- outside a transaction
-- squawk-ignore-file ban-concurrent-index-creation-in-transaction
drop index concurrently if exists users_made_up;
create index concurrently if not exists users_made_up on users (app_id, made_up);
`,
    )
    const changed = join(server, 'functions/log/append_entries.sql')
    const text = await readFile(changed, 'utf8')
    await writeFile(changed, text.replace('\nbegin\n', '\nbegin\n-- Of the next release.\n'))
  })
}

async function releaseIn(fill: (folder: string) => Promise<void>): Promise<Release> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'chorale-release-'))
  stack.defer(() => rm(folder, { recursive: true }))
  await fill(folder)
  const modules = join(folder, 'node_modules')
  await mkdir(join(modules, '@chorale'), { recursive: true })
  for (const name of await readdir(join(root, 'node_modules'))) {
    // Neither the packages of this clone nor caches.
    if (name === '@chorale' || name.startsWith('.')) continue
    await symlink(join(root, 'node_modules', name), join(modules, name))
  }
  for (const name of workspaces) {
    await symlink(join(folder, 'packages', name), join(modules, '@chorale', name))
  }
  const owned = stack.move()
  return { ...programIn(folder), [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
