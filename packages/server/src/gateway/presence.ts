import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Signals } from '../bus/signals.ts'
import type { AppPresence, PresenceMove, PresenceStore } from '../realtime/ports.ts'
import { presenceSubject } from '../realtime/subjects.ts'

export interface PresenceParts {
  readonly store: PresenceStore
  readonly signals: Signals
  readonly log: Logger
  readonly leaseSeconds: number
  /** Everyone who is here now. */
  readonly here: () => Iterable<{ readonly appId: string; readonly uid: string }>
}

export interface Presence extends AsyncDisposable {
  moved(move: PresenceMove): void
}

/** Whoever comes and goes within this time has not moved. */
const gatherMs = 250
const maxMoves = 1000

/**
 * Keeps who is online in step with who is connected, many moves in one statement. The lease of
 * this process stands for all of them: when it runs out, any other gateway ends their presence.
 */
export function openPresence(parts: PresenceParts): Presence {
  const { store, log, leaseSeconds } = parts
  const gatewayId = randomUUID()
  const moves = new Map<string, PresenceMove>()
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let held = false
  let closed = false

  async function write(): Promise<void> {
    while (held && moves.size > 0) {
      const batch = [...moves.values()].slice(0, maxMoves)
      for (const move of batch) moves.delete(nameOf(move))
      try {
        announce(parts, await store.move(gatewayId, batch))
      } catch (error) {
        // What has happened since is newer.
        for (const move of batch) if (!moves.has(nameOf(move))) moves.set(nameOf(move), move)
        throw error
      }
    }
  }

  /** One writer at a time; who calls meanwhile waits for the same. */
  function written(): Promise<void> {
    writing ??= write()
      .catch((error) => log.warn({ err: error }, 'could not write presence to the database'))
      .finally(() => {
        writing = undefined
      })
    return writing
  }

  async function renew(): Promise<void> {
    try {
      const lasted = await store.renew(gatewayId, leaseSeconds)
      held = true
      for (const { appId, uid } of lasted ? [] : parts.here()) {
        const move = { appId, uid, here: true }
        if (!moves.has(nameOf(move))) moves.set(nameOf(move), move)
      }
      writeSoon()
    } catch (error) {
      log.warn({ err: error }, 'could not renew the lease of this gateway')
    }
  }

  function writeSoon(): void {
    if (closed || !held || moves.size === 0) return
    timer ??= setTimeout(async () => {
      await written()
      timer = undefined
      writeSoon()
    }, gatherMs)
  }

  void renew()
  const timers = [
    setInterval(() => void renew(), (leaseSeconds * 1000) / 2),
    setInterval(() => void sweep(parts), (leaseSeconds * 1000) / 4),
  ]
  return {
    moved(move) {
      moves.set(nameOf(move), move)
      writeSoon()
    },
    async [Symbol.asyncDispose]() {
      closed = true
      for (const each of timers) clearInterval(each)
      clearTimeout(timer)
      await writing
      await written()
    },
  }
}

function announce({ signals }: PresenceParts, apps: readonly AppPresence[]): void {
  for (const { appId, changes, crowded } of apps) {
    if (!crowded) signals.publish(presenceSubject(appId), JSON.stringify(changes))
  }
}

async function sweep(parts: PresenceParts): Promise<void> {
  try {
    announce(parts, await parts.store.sweep(parts.leaseSeconds))
  } catch (error) {
    parts.log.warn({ err: error }, 'could not end the presence of gateways that stopped')
  }
}

function nameOf({ appId, uid }: { readonly appId: string; readonly uid: string }): string {
  return `${appId} ${uid}`
}
