import pg from 'pg'

/** PostgreSQL said nothing within the time that this process gives it. */
export class DatabaseSilent extends Error {
  constructor() {
    super('The database did not answer in time.')
  }
}

/** It repeats what another server writes, and may be behind. */
export class DatabaseIsStandby extends Error {
  constructor() {
    super('The database is a standby: it takes no writes.')
  }
}

/** A commit would wait for this server alone, and the operator asks for more. */
export class NoSynchronousStandby extends Error {
  constructor() {
    super('No commit waits for a standby, and DATABASE_STANDBY=required.')
  }
}

/**
 * No statement would fare better: no connection or no such database (08, 28, 3D), a server that only
 * reads (25006), that closed the connection (25P03), is out of disk, memory or connections (53),
 * starts or stops (57P), or cannot reach its disk (58030).
 */
const awayStates = /^(08|25006|25P03|28|3D|53|57P|58030)/
/** Beside these, the moment was wrong: cancelled, a lock was held, a deadlock. */
const momentStates = /^(57014|55P03|40)/
/** The connection works: what the server lacks it also lacks on another. */
const keptStates = /^53/
const awayCodes = /^(ECONN|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_|EHOST|ENET)/
// The last is what a rollback meets on a connection that was lost inside the transaction.
const awayMessages = /Connection terminated|timeout exceeded when trying|is not queryable/

const ownErrors = [DatabaseSilent, DatabaseIsStandby, NoSynchronousStandby]

function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

/** The database is away or cannot work, whatever it is asked. */
export function isDatabaseAway(error: unknown): boolean {
  const state = sqlState(error)
  if (state) return awayStates.test(state)
  if (ownErrors.some((own) => error instanceof own)) return true
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return awayCodes.test(code) || awayMessages.test(error.message)
}

/** A server that only reads, has no connection left, starts or stops. */
const passingStates = /^(25006|53300|57P0[123])$/

/**
 * Away as while another server takes over: it says so itself, or a balancer in front of it knows no server that
 * takes writes, and ends the connection.
 */
export function isPassing(error: unknown): boolean {
  const state = sqlState(error)
  if (state) return passingStates.test(state)
  if (error instanceof DatabaseIsStandby || error instanceof NoSynchronousStandby) return true
  if (!(error instanceof Error)) return false
  return (
    /Connection terminated/.test(error.message) || ('code' in error && error.code === 'ECONNRESET')
  )
}

/** The database was out of reach or out of time, rather than the statement wrong. */
export function isUnavailable(error: unknown): boolean {
  return isDatabaseAway(error) || momentStates.test(sqlState(error) ?? '')
}

/** The connection is of no use after this error. */
export function endsConnection(error: unknown): boolean {
  return isDatabaseAway(error) && !keptStates.test(sqlState(error) ?? '')
}

export function asksForRetry(error: unknown): boolean {
  const state = sqlState(error)
  return state === '40001' || state === '40P01'
}

/**
 * PostgreSQL answered, kept nothing, and may take a part of it. After other errors either nobody
 * knows whether it did, or every part would fare the same.
 */
export function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (asksForRetry(error) || !isUnavailable(error))
}

/** Refused by a unique index. On a partition its name is made of its columns: match the end. */
export function isDuplicate(error: unknown, index: RegExp): boolean {
  return sqlState(error) === '23505' && index.test(constraintOf(error))
}

function constraintOf(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.constraint ?? '') : ''
}

/** The entries, counted from 1, that `require_current` found to be stale. */
export function staleNumbers(error: unknown): number[] {
  if (!(error instanceof pg.DatabaseError) || error.code !== 'CH001') return []
  return (error.detail ?? '').split(',').map(Number)
}
