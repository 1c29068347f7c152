import { setTimeout as after } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { bucketCount } from '../database/buckets.ts'
import type { Db } from '../database/db.ts'
import type { Database } from '../database/pool.ts'
import { jittered, openSleeper } from '../jobs/sleeper.ts'

/** In each epoch sequences begin at a multiple of this. */
const epochSize = 2 ** 36

/** The epoch in which a sequence gave out this number. */
export function epochOf(number: number): number {
  return Math.floor(number / epochSize)
}

/** A number that says its epoch: of devices, which only pass it back. */
export function inEpoch(epoch: number, number: number): number {
  return epoch * epochSize + number
}

/** What is known outside of the database, which knows less after a restore. */
export interface Marks {
  /** Rejects while NATS is away. */
  read(installId: string): Promise<Known>
  keep(installId: string, mark: number): Promise<void>
}

export interface Known {
  readonly mark: number
  /** One of the last that were published. */
  readonly entry?: { readonly appId: string; readonly id: number } | undefined
}

export interface Epochs extends AsyncDisposable {
  readonly current: number
  /** Called when another one has begun while this process runs. */
  onBegun(notify: () => void): void
}

export interface EpochParts {
  readonly database: Pick<Database, 'db' | 'onLost'>
  readonly marks: Marks
  readonly log: Logger
}

/** Beside a look whenever a connection is lost: who restores a database ends its connections. */
const everyMs = 5000
const everyMsAtStart = 50
/** How long a start waits for NATS. Without it the first look comes when it is there. */
const patienceMs = 2000

/**
 * Watches whether the database is behind what it was, and begins an epoch if it is: the number that
 * it gives must be higher than any that NATS was told, or this process has seen.
 */
export async function openEpochs({ database, marks, log }: EpochParts): Promise<Epochs> {
  const { db } = database
  const sleeper = openSleeper<'lost'>()
  const listeners: (() => void)[] = []
  const compared = Promise.withResolvers<void>()
  const installId = await findInstall(db)
  let highest = await findMark(db)
  let isCompared = false
  let isStarting = true

  async function look(): Promise<void> {
    const known = await marks.read(installId).catch(() => undefined)
    if (!known && isStarting) return
    const seen = Math.max(highest, known?.mark ?? 0)
    const isLost = !isCompared && known?.entry && (await isMissing(db, known.entry))
    let mark = await nextMark(db)
    if (mark <= seen || isLost) {
      const epoch = await beginEpoch(db, epochOf(seen), isLost ? undefined : seen + 1)
      log.warn(
        { epoch },
        'the database is older than it was before, as after a restore: a new epoch has begun',
      )
      mark = await nextMark(db)
    }
    reach(mark)
    if (!known) return
    await marks.keep(installId, highest)
    isCompared = true
    isStarting = false
    compared.resolve()
  }

  function reach(mark: number): void {
    const isAnother = epochOf(mark) !== epochOf(highest)
    highest = mark
    if (isAnother) for (const notify of listeners) notify()
  }

  async function run(): Promise<void> {
    let why = ''
    while (why !== 'closed') {
      await look().catch((error) =>
        log.warn({ err: error }, 'could not check whether the database was restored'),
      )
      why = await sleeper.sleep(isStarting ? everyMsAtStart : jittered(everyMs))
    }
  }

  database.onLost(() => sleeper.wake('lost'))
  const work = run()
  await Promise.race([compared.promise, after(patienceMs, undefined, { ref: false })])
  isStarting = false
  return {
    get current() {
      return epochOf(highest)
    },
    onBegun: (notify) => void listeners.push(notify),
    async [Symbol.asyncDispose]() {
      sleeper.close()
      await work
    },
  }
}

/** Where nothing is compared: the epoch stays as it is. */
export async function readEpochs(db: Db): Promise<Epochs> {
  const current = epochOf(await findMark(db))
  return { current, onBegun: () => undefined, [Symbol.asyncDispose]: async () => undefined }
}

/** For the operator: whether the database is behind what NATS knows of it. */
export async function compareEpochs(db: Db, marks: Marks) {
  const known = await marks.read(await findInstall(db))
  const mark = await findMark(db)
  const isLost = known.entry ? await isMissing(db, known.entry) : false
  return { current: epochOf(mark), isBehind: mark < known.mark || isLost }
}

/** For the operator: an epoch behind all that database and NATS know, and behind this one. */
export async function beginNewEpoch(db: Db, marks: Marks | undefined, past: number) {
  const installId = await findInstall(db)
  const known = await marks?.read(installId)
  const epoch = await beginEpoch(db, Math.max(past, epochOf(known?.mark ?? 0)), undefined)
  await marks?.keep(installId, await nextMark(db))
  return epoch
}

async function findInstall(db: Db): Promise<string> {
  const { rows } = await sql<{ id: string }>`select install_id as id from install`.execute(db)
  const [install] = rows
  if (!install) throw new Error('The table install is empty.')
  return install.id
}

async function findMark(db: Db): Promise<number> {
  const { rows } = await sql<{ mark: number }>`
    select last_value as mark from restore_marks`.execute(db)
  return rows[0]?.mark ?? 0
}

async function nextMark(db: Db): Promise<number> {
  const { rows } = await sql<{ mark: number }>`
    select nextval('restore_marks') as mark`.execute(db)
  return rows[0]?.mark ?? 0
}

/** An entry of an app that is here was published, and its number has not been given out. */
async function isMissing(db: Db, { appId, id }: NonNullable<Known['entry']>): Promise<boolean> {
  const { rows } = await sql<{ missing: boolean }>`
    select ${Math.floor(id / bucketCount)}::bigint > n.last_value as missing
    from entry_numbers n where exists (select from apps where app_id = ${appId})`.execute(db)
  return rows[0]?.missing ?? false
}

async function beginEpoch(db: Db, past: number, mark: number | undefined): Promise<number> {
  const { rows } = await sql<{ epoch: number }>`
    select begin_epoch(${past}, ${mark ?? null}) as epoch`.execute(db)
  return rows[0]?.epoch ?? 0
}
