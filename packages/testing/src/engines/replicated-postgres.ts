import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { execute, isRoot } from '../../../../tools/services/commands.ts'
import { asServer, postgresProgram } from '../../../../tools/services/postgres.ts'
import { freePort } from '../../../server/src/main/start/free-port.ts'

/** A PostgreSQL of its own with a standby that repeats it. Gone after. */
export interface ReplicatedPostgres extends AsyncDisposable {
  readonly primaryUrl: string
  readonly standbyUrl: string
  /** Makes the standby a primary, once it has all that the primary has. */
  promote(): Promise<void>
}

export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'chorale-replicated-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  if (isRoot) chownSync(folder, await idOf('-u'), await idOf('-g'))
  const [primaryPort, standbyPort] = [await freePort(), await freePort()]
  const [primary, standby] = [join(folder, 'primary'), join(folder, 'standby')]
  await asServer(postgresProgram('initdb'), [
    ...['-D', primary, '-U', 'postgres', '--encoding=UTF8', '--locale=C.UTF-8', '--auth=trust'],
    ...['--no-sync', '--no-instructions'],
  ])
  await start(stack, primary, primaryPort)
  await asServer(postgresProgram('pg_basebackup'), [
    ...['-h', '127.0.0.1', '-p', String(primaryPort), '-U', 'postgres'],
    ...['-D', standby, '--write-recovery-conf', '--checkpoint=fast', '--no-sync'],
  ])
  await start(stack, standby, standbyPort)
  const urlOf = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`
  const [primaryUrl, standbyUrl] = [urlOf(primaryPort), urlOf(standbyPort)]
  const running = stack.move()
  return {
    primaryUrl,
    standbyUrl,
    async promote() {
      const position = await ask<string>(primaryUrl, 'select pg_current_wal_lsn()::text as answer')
      const hasAll = `select pg_last_wal_replay_lsn() >= '${position}' as answer`
      while (!(await ask<boolean>(standbyUrl, hasAll)));
      await ask<boolean>(standbyUrl, 'select pg_promote() as answer')
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

async function start(stack: AsyncDisposableStack, data: string, port: number): Promise<void> {
  // Its data is thrown away with it.
  const settings = ['fsync=off', 'listen_addresses=127.0.0.1', `unix_socket_directories=${data}`]
  const options = [`port=${port}`, ...settings].map((setting) => `-c ${setting}`).join(' ')
  const control = (...words: string[]) =>
    asServer(postgresProgram('pg_ctl'), [...words, '-D', data])
  await control('start', '-w', '-l', `${data}.log`, '-o', options)
  stack.defer(async () => void (await control('stop', '-w', '-m', 'immediate')))
}

async function ask<T>(url: string, text: string): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ answer: T }>(text)
    const [row] = rows
    if (!row) throw new Error(`No answer to ${text}`)
    return row.answer
  } finally {
    await client.end()
  }
}

async function idOf(flag: string): Promise<number> {
  return Number(await execute('id', [flag, 'postgres']))
}
