import { readFileSync } from 'node:fs'
import type { Query } from '../../packages/testing/src/data/many-users.ts'

/** Microseconds of CPU, by who spent them. */
export interface Cpu {
  readonly server: number
  readonly postgres: number
  readonly load: number
}

/** What /proc counts in: a hundredth of a second, on every Linux that we know of. */
const tickUs = 10_000

/**
 * Runs the load and says what it cost everybody on this machine. The load is a program that ends with
 * it, unless `loadUs` says what it has spent.
 */
export async function cpuDuring<T>(
  serverPid: number,
  query: Query,
  load: () => Promise<T>,
  loadUs = endedChildrenUs,
): Promise<{ readonly result: T; readonly cpu: Cpu }> {
  const before = await spent(serverPid, query, loadUs)
  const result = await load()
  const after = await spent(serverPid, query, loadUs)
  let postgres = 0
  for (const [pid, us] of after.postgres) postgres += us - (before.postgres.get(pid) ?? 0)
  const cpu = { server: after.server - before.server, postgres, load: after.load - before.load }
  return { result, cpu }
}

/** What PostgreSQL spends on a load that has connections of its own, and ends them. */
export async function postgresUsDuring<T>(
  query: Query,
  load: () => Promise<T>,
): Promise<{ readonly result: T; readonly us: number }> {
  const before = await endedConnectionsUs(query)
  const result = await load()
  return { result, us: (await endedConnectionsUs(query)) - before }
}

export function cpuOfEach({ server, postgres, load }: Cpu, times: number): Cpu {
  return { server: server / times, postgres: postgres / times, load: load / times }
}

async function spent(serverPid: number, query: Query, loadUs: () => number) {
  // The connections of this database, and what PostgreSQL does for all of them in the background.
  const rows = (await query(
    `select pid from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() or datid is null`,
  )) as { pid: number }[]
  return {
    server: ownUs(serverPid) + childrenUs(serverPid),
    postgres: new Map(rows.map(({ pid }) => [pid, ownUs(pid)])),
    load: loadUs(),
  }
}

/** Connections that have ended, of any database, and what PostgreSQL does for all of them in the background. */
async function endedConnectionsUs(query: Query): Promise<number> {
  const rows = (await query(
    `select pid, pid = pg_backend_pid() as own from pg_stat_activity
     where pid = pg_backend_pid() or datid is null`,
  )) as { pid: number; own: boolean }[]
  return rows.reduce((sum, { pid, own }) => {
    return sum + (own ? endedChildrenUs(parentOf(pid)) : ownUs(pid))
  }, 0)
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

/** Of one process since it began. */
export function ownUs(pid: number): number {
  const [user, system] = times(pid)
  return (user + system) * tickUs
}

/** Of the processes that one has started and that run. */
function childrenUs(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? []
  return children.reduce((sum, child) => sum + ownUs(Number(child)), 0)
}

/** Of all programs that a process, this one if none is named, has started and that have ended. */
function endedChildrenUs(pid = process.pid): number {
  const [, , user, system] = times(pid)
  return (user + system) * tickUs
}

/** Ticks: own user, own system, and the same of ended children; all 0 for a process that is not here. */
function times(pid: number): readonly [number, number, number, number] {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program, in brackets, may have spaces.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
    const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15).map(Number)
    return [user, system, childUser, childSystem]
  } catch {
    return [0, 0, 0, 0]
  }
}
