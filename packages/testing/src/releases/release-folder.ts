import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

// Folders that are laid out like this repository, with another version of the program.

/** What the program is made of. */
const workspaces = ['contract', 'sdk', 'server']
export const releasePaths = ['package.json', ...workspaces.map((name) => `packages/${name}`)]

/** The dependencies that are installed in `root`, but with the packages of the release. */
export async function linkModules(root: string, folder: string): Promise<void> {
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
}

/**
 * What a next release may bring: columns in the two largest tables, an index made concurrently, and a
 * function that has another body.
 */
export async function writeNextRelease(from: string, folder: string): Promise<void> {
  for (const path of releasePaths) {
    const filter = (source: string) => !source.endsWith('.test.ts')
    await cp(join(from, path), join(folder, path), { recursive: true, filter })
  }
  const server = join(folder, 'packages/server')
  const names = await readdir(join(server, 'migrations'))
  const next = 1 + Math.max(...names.map((name) => Number.parseInt(name, 10)))
  const column = `made_up_${next}`
  const write = (number: number, text: string) =>
    writeFile(join(server, 'migrations', `${String(number).padStart(4, '0')}-next.sql`), text)
  await write(next, `alter table entries add column ${column} text;`)
  await write(next + 1, `alter table users add column ${column} text;`)
  await write(
    next + 2,
    `-- outside a transaction
-- squawk-ignore-file ban-concurrent-index-creation-in-transaction
drop index concurrently if exists users_${column};
create index concurrently if not exists users_${column} on users (app_id, ${column});
`,
  )
  const changed = join(server, 'functions/log/append_entries.sql')
  const text = await readFile(changed, 'utf8')
  await writeFile(changed, text.replace('\nbegin\n', '\nbegin\n-- Of the next release.\n'))
}
