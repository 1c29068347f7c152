import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Account } from './account.ts'

/** The app that `start` has filled, and its keys. */
export interface Demo {
  readonly appId: string
  readonly apiKey: string
  readonly authOnlyKey: string
}

/** The first collaborator, whom `start` has made. */
export interface Owner {
  readonly email: string
  /** As it was made; it may have been changed since. */
  readonly password: string
}

/** What one `start` leaves for the next. */
interface State {
  readonly id: string
  readonly masterKey: string
  readonly databasePassword: string
  readonly natsPassword: string
  readonly demo?: Demo
  readonly owner?: Owner
  /** An app that was not filled to the end. */
  readonly unfinishedApp?: string | undefined
}

export interface DataFolder {
  readonly path: string
  /** Where engines keep their data: in the folder, unless root keeps them out of it. */
  readonly engines: string
  readonly state: State
  keep(change: Partial<State>): void
  /** A file of its own, which nobody but the owner may read. */
  write(name: string, content: object): void
}

/** Opens the folder, or makes it, with secrets of its own. Only its owner may look into it. */
export function openDataFolder(folder: string, account: Account | undefined): DataFolder {
  const path = resolve(folder)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  chmodSync(path, 0o700)
  const file = join(path, 'state.json')
  let state: State = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : newState()
  const write = (name: string, content: object) => {
    const target = join(path, name)
    // Written beside and moved: whoever pulls the plug finds the old file or the new one.
    writeFileSync(`${target}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
    renameSync(`${target}.new`, target)
  }
  const keep = (change: Partial<State>) => {
    state = { ...state, ...change }
    write('state.json', state)
  }
  keep({})
  return {
    path,
    // Another account runs the engines, and cannot reach a folder of root.
    engines: account ? join('/var/lib/chorale', state.id) : path,
    get state() {
      return state
    },
    keep,
    write,
  }
}

function newState(): State {
  const secret = () => randomBytes(24).toString('base64url')
  return {
    id: randomBytes(8).toString('hex'),
    masterKey: randomBytes(32).toString('base64'),
    databasePassword: secret(),
    natsPassword: secret(),
  }
}
