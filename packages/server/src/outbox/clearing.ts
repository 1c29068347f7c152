import type { Logger } from 'pino'
import type { Db } from '../database/db.ts'
import { deleteEvents, deleteReceipts } from './backlog.ts'

/** Takes away the rows of what is published: many at once, and never while a request waits. */
export interface Clearing extends AsyncDisposable {
  receipt(id: number): void
  event(id: string): void
}

/** What is published within this time is cleared in one statement. */
const gatherMs = 500
/** What could not be cleared is published again by the sweeper, and dropped by the stream. */
const maxKept = 100_000

export function openClearing(db: Db, log: Logger): Clearing {
  let receipts: number[] = []
  let events: string[] = []
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let closed = false

  async function clear(): Promise<void> {
    const [gone, published] = [receipts, events]
    receipts = []
    events = []
    try {
      if (gone.length > 0) await deleteReceipts(db, gone)
      if (published.length > 0) await deleteEvents(db, published)
    } catch (error) {
      log.warn({ err: error }, 'could not delete published events from the outbox; trying again')
      if (receipts.length + events.length > maxKept) return
      receipts.push(...gone)
      events.push(...published)
    }
  }

  function clearSoon(): void {
    if (closed) return
    timer ??= setTimeout(async () => {
      running = clear()
      await running
      timer = undefined
      if (receipts.length + events.length > 0) clearSoon()
    }, gatherMs)
  }

  return {
    receipt(id) {
      receipts.push(id)
      clearSoon()
    },
    event(id) {
      events.push(id)
      clearSoon()
    },
    async [Symbol.asyncDispose]() {
      closed = true
      clearTimeout(timer)
      await running
      await clear()
    },
  }
}
