import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Logger } from 'pino'
import { NoSynchronousStandby } from './errors.ts'
import { connectToPrimary, type StandbyGuard } from './primary.ts'

const everyMs = 1000

/**
 * Looks every second: PostgreSQL may be told at any time to wait for nobody, as Patroni does when the last
 * standby is gone and `synchronous_mode_strict` is off.
 */
export function guardStandby(url: string, log: Logger): StandbyGuard & AsyncDisposable {
  const closing = new AbortController()
  const { signal } = closing
  let isThere = true
  let client: pg.Client | undefined

  async function look(on: pg.ClientBase): Promise<void> {
    const { rows } = await on.query<{ waits: boolean }>(commitWaits)
    const waits = rows[0]?.waits === true
    if (isThere && !waits)
      log.error('no commit waits for a standby: nothing is answered until one does')
    if (!isThere && waits) log.info('commits wait for a standby again')
    isThere = waits
    if (!waits) throw new NoSynchronousStandby()
  }

  async function connect(): Promise<pg.Client> {
    const connected = await connectToPrimary(url)
    // Unheard, the loss of an idle connection would end the process.
    return connected.on('error', () => undefined)
  }

  async function lookAgain(): Promise<void> {
    try {
      client ??= await connect()
      await look(client)
    } catch (error) {
      if (error instanceof NoSynchronousStandby) return
      // Whoever connects anew looks, too.
      await client?.end().catch(() => undefined)
      client = undefined
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await lookAgain()
      await sleep(everyMs, undefined, { signal }).catch(() => undefined)
    }
  }

  const work = run()
  return {
    require() {
      if (!isThere) throw new NoSynchronousStandby()
    },
    look,
    async [Symbol.asyncDispose]() {
      closing.abort()
      await work
      await client?.end()
    },
  }
}

const commitWaits = `
  select current_setting('synchronous_standby_names') <> ''
     and current_setting('synchronous_commit') not in ('off', 'local') as waits`
