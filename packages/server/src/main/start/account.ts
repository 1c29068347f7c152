import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/** Whom a program runs as. */
export interface Account {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

/** PostgreSQL refuses to run as root: root starts engines as one of these. */
const names = ['postgres', '_postgres', 'nobody']

/** Undefined for anybody but root, who is their own. */
export function engineAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  for (const name of names) {
    const uid = idOf('-u', name)
    const gid = idOf('-g', name)
    if (uid !== undefined && gid !== undefined) return { name, uid, gid }
  }
  throw new Error(`PostgreSQL does not run as root, and none of ${names.join(', ')} is there.`)
}

function idOf(kind: '-u' | '-g', name: string): number | undefined {
  try {
    return Number(execFileSync('id', [kind, name], { encoding: 'utf8', stdio: 'pipe' }))
  } catch {
    return undefined
  }
}

/** A folder that only the account may look into. */
export function makeFolder(path: string, account: Account | undefined): void {
  // The account must reach it.
  mkdirSync(dirname(path), { recursive: true, mode: account ? 0o755 : 0o700 })
  mkdirSync(path, { recursive: true, mode: 0o700 })
  if (account) chownSync(path, account.uid, account.gid)
}
