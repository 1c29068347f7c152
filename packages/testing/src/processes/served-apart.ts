import { pino } from 'pino'
import { readConfig } from '../../../server/src/config.ts'
import { createManagementKey } from '../../../server/src/domain/apps/keys/index.ts'
import { unixSeconds } from '../../../server/src/main/clock.ts'
import { newSession } from '../service/console-session.ts'
import { startService } from '../service/service.ts'

/** From the process that serves, for the test that has started it. */
export type FromApart =
  | {
      readonly is: 'ready'
      readonly origin: string
      readonly management: { readonly key: string; readonly secret: string }
      /** Of an owner of the install. */
      readonly session: string
    }
  | { readonly is: 'blocked'; readonly cpuMs: number }
  /** All blocks so far have been told. */
  | { readonly is: 'told' }

const [, , minBlockMs = '100'] = process.argv
const tickMs = 10

/**
 * Nothing else was done between two ticks that lie far apart: one callback, or a row of them. Time of
 * the processor counts, not that of the clock: on a busy machine a process waits without working.
 */
function watchLoop(): void {
  let at = performance.now()
  let before = process.threadCpuUsage()
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(before)
    const cpuMs = (user + system) / 1000
    const wallMs = performance.now() - at
    if (Math.min(cpuMs, wallMs) > Number(minBlockMs)) tell({ is: 'blocked', cpuMs })
    at = performance.now()
    before = process.threadCpuUsage()
  }, tickMs)
}

function tell(message: FromApart): void {
  process.send?.(message)
}

const config = readConfig(process.env)
const log = pino({ level: process.env.TEST_LOG ?? 'silent' })
const service = await startService({ config, log, strictAnswers: true })
const { core, origin } = service
const install = { db: core.foreground.db }
const management = await createManagementKey(install, core.vault, { name: 'tests' }, unixSeconds())
const owner = { email: 'owner@example.com', name: 'Owner', roles: { '*': 'owner' } } as const
const { session } = await newSession(install, core.vault, owner, unixSeconds())
watchLoop()
tell({ is: 'ready', origin, management, session })
process.on('message', () => setTimeout(tell, 2 * tickMs, { is: 'told' }))
process.once('disconnect', () => {
  service[Symbol.asyncDispose]().then(
    () => process.exit(),
    () => process.exit(1),
  )
})
