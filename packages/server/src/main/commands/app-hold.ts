import { Command } from 'commander'
import { connectNow } from '../../bus/bus.ts'
import { liveSubject } from '../../bus/signals.ts'
import type { Config } from '../../config.ts'
import { writeAuditLog } from '../../database/audit-log.ts'
import { setHeld } from '../../domain/apps/index.ts'
import { type AppSignal, appSubject } from '../../realtime/subjects.ts'
import { unixSeconds } from '../clock.ts'
import { openLog } from '../log.ts'
import { natsAccessOf } from '../nats.ts'
import { CommandError, print, withTools } from './output.ts'

export function holdCommand(): Command {
  return new Command('hold')
    .description('Refuse writes of an app with 503, and send its devices away: it moves elsewhere.')
    .argument('<appId>')
    .option('--json', 'print JSON')
    .action(async (appId: string, { json }: { json?: true }) => {
      await change(appId, 'app hold', unixSeconds())
      print(json, { appId, held: true }, () => `${appId} takes no writes here any more.`)
    })
}

export function releaseCommand(): Command {
  return new Command('release')
    .description('Take writes and devices of an app that was held again.')
    .argument('<appId>')
    .option('--json', 'print JSON')
    .action(async (appId: string, { json }: { json?: true }) => {
      await change(appId, 'app release', null)
      print(json, { appId, held: false }, () => `${appId} takes writes again.`)
    })
}

function change(appId: string, operation: string, heldAt: number | null): Promise<void> {
  return withTools(async ({ config, database }) => {
    const isThere = await database.transaction(async (db) => {
      if (!(await setHeld({ appId, db }, heldAt))) return false
      const at = unixSeconds()
      const input = { appId }
      await writeAuditLog(db, { appId, at, caller: 'cli', operation, input, requestId: '' })
      return true
    })
    if (!isThere) throw new CommandError(`There is no app ${appId}.`)
    if (heldAt !== null) await signalGateways(config, appId)
  })
}

/** A gateway that does not hear of it notices when it checks its devices again: docs/realtime.md. */
async function signalGateways(config: Config, appId: string): Promise<void> {
  const log = openLog('warn')
  try {
    await using bus = await connectNow(natsAccessOf(config, log))
    const signal: AppSignal = { is: 'credentials' }
    const subject = liveSubject(config.NATS_PREFIX, appSubject(appId))
    bus.connection.publish(subject, JSON.stringify(signal))
    await bus.connection.flush()
  } catch (error) {
    log.warn({ err: error }, 'NATS does not answer: devices leave within a minute')
  }
}
