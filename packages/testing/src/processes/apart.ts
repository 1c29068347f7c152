import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'
import { natsPrefix } from '../engines/nats-prefix.ts'
import { cloneDatabase } from '../engines/test-database.ts'
import { consoleUrl } from '../service/console-page.ts'
import { compileCache } from './compile-cache.ts'
import type { FromApart } from './served-apart.ts'

const path = fileURLToPath(new URL('./served-apart.ts', import.meta.url))

/** The service in a process of its own, which watches its event loop; answers are checked. */
export interface Apart extends AsyncDisposable {
  readonly origin: string
  readonly management: { readonly key: string; readonly secret: string }
  readonly session: string
  /** How long its event loop was blocked, each time, since this was asked last. */
  blocks(): Promise<readonly number[]>
}

export async function startApart(minBlockMs: number): Promise<Apart> {
  await using stack = new AsyncDisposableStack()
  const { url } = stack.use(await cloneDatabase())
  const files = await mkdtemp(join(tmpdir(), 'chorale-files-'))
  stack.defer(() => rm(files, { recursive: true, force: true }))
  const child = fork(path, [String(minBlockMs)], {
    execArgv: [],
    env: {
      PATH: process.env.PATH,
      ...compileCache,
      DATABASE_URL: url,
      NATS_URL: inject('natsUrl'),
      NATS_PREFIX: natsPrefix(),
      // The requests are full of wrong keys.
      AUTH_REFUSALS_PER_MINUTE: '0',
      CONSOLE_URL: consoleUrl,
      FILES_FOLDER: files,
      FILES_URL: 'http://files.localhost',
      FILES_CHECK: 'off',
      CHORALE_MASTER_KEY: randomBytes(32).toString('base64'),
    },
  })
  const ended = once(child, 'exit')
  stack.defer(async () => {
    if (child.connected) child.disconnect()
    await ended
  })
  let blocks: number[] = []
  const told = new EventEmitter()
  child.on('message', (message: FromApart) => {
    if (message.is === 'blocked') blocks.push(message.cpuMs)
    if (message.is === 'told') told.emit('all')
  })
  const ready = once(child, 'message').then(([message]: FromApart[]) => message)
  const message = await Promise.race([ready, ended.then(() => undefined)])
  if (message?.is !== 'ready') throw new Error('The service did not start.')
  const owned = stack.move()
  return {
    origin: message.origin,
    management: message.management,
    session: message.session,
    async blocks() {
      const answered = once(told, 'all')
      child.send('tell')
      await answered
      const found = blocks
      blocks = []
      return found
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
