import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Program, programIn, root } from '../processes/program.ts'
import { linkModules, releasePaths, writeNextRelease } from './release-folder.ts'

/** Another version of the code than that of this clone, in a folder of its own. */
interface Release extends Program, AsyncDisposable {}

const run = promisify(execFile)
const git = async (...args: readonly string[]) =>
  (await run('git', ['-C', root, ...args])).stdout.trim()

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
    await git('archive', '--output', archive, commit, ...releasePaths)
    await run('tar', ['-xf', archive, '-C', folder])
  })
}

export function madeUpNextRelease(): Promise<Release> {
  return releaseIn((folder) => writeNextRelease(root, folder))
}

async function releaseIn(fill: (folder: string) => Promise<void>): Promise<Release> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'chorale-release-'))
  stack.defer(() => rm(folder, { recursive: true }))
  await fill(folder)
  await linkModules(root, folder)
  const owned = stack.move()
  return { ...programIn(folder), [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
