import { Command } from 'commander'
import type { ProcessReport } from '../../../bus/process-reports.ts'
import type { Backlog } from '../../../jobs/backlog.sql.ts'
import { unixSeconds } from '../../clock.ts'
import { layout } from '../doctor/doctor.ts'
import { Subject } from '../doctor/subject.ts'
import { CommandError, print, table } from '../output.ts'
import { readStatus, type Status } from './read-status.ts'

/** Whoever asks wants to know that PostgreSQL hangs, and does not want to wait for it. */
const statementTimeoutMs = 10_000
const unknown = 'not known'

export function statusCommand(environment = process.env): Command {
  return new Command('status')
    .description('Show engines, processes, queues and backlogs, and what is wrong, on one screen.')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      await using subject = new Subject(environment, statementTimeoutMs)
      const status = await readStatus(subject)
      print(json, status, () => screen(status))
      if (!status.ok) throw new CommandError(`Problems: ${status.problems.length}.`)
    })
}

function screen(status: Status): string {
  const { processes, queues, problems } = status
  return [
    ...summary(status).map(([name, text]) => `${name.padEnd(14)}${text}`),
    processes && processes.length > 0 ? processTable(processes) : 'No process has answered.',
    queues ? queueTable(queues) : `Queues: ${unknown}.`,
    problems.length === 0 ? 'Nothing is wrong.' : layout(problems),
  ].join('\n')
}

function summary({ version, database, nats, outbox, problems }: Status): [string, string][] {
  const failed = (name: string) =>
    problems.some(({ check }) => check === name) ? 'failed, see below' : unknown
  const addresses = Object.entries(database?.addresses ?? {}).map((pair) => pair.join(' '))
  const lags = nats?.consumers?.map(({ messages }) => messages)
  return [
    ['Chorale', version],
    ['PostgreSQL', database?.version ?? failed('database')],
    ['Schema', database?.schema ?? unknown],
    [
      'Connections',
      database
        ? `${database.connections} of ${database.maxConnections}; of Chorale from ${addresses.join(', ')}`
        : unknown,
    ],
    ['NATS', nats?.version ?? failed('nats')],
    [
      'Consumers',
      lags ? `${lags.length}, ${Math.max(0, ...lags)} messages behind at most` : unknown,
    ],
    ['Dead letters', `${nats?.deadLetters ?? unknown}`],
    [
      'Outbox',
      outbox
        ? `${outbox.receipts} markers and ${outbox.events} events wait, the oldest since ${outbox.lagSeconds} s`
        : unknown,
    ],
  ]
}

function processTable(processes: readonly ProcessReport[]): string {
  return table(
    ['Process', 'Version', 'Parts', 'Up', 'State', 'Sockets', 'Connections', 'Waiting'],
    processes.map(({ host, pid, version, parts, startedAt, connections, ...state }) => [
      `${host} ${pid}`,
      version,
      parts.join(','),
      duration(unixSeconds() - startedAt),
      stateOf(state),
      `${state.sockets ?? '-'}`,
      `${connections.open} of ${connections.max}`,
      `${connections.waiting}`,
    ]),
  )
}

function stateOf({ ready, degraded }: Pick<ProcessReport, 'ready' | 'degraded'>): string {
  if (!ready) return 'not ready'
  return degraded ? 'degraded' : 'ready'
}

function queueTable(queues: readonly Backlog[]): string {
  return table(
    ['Queue', 'Due', 'Later', 'Behind', 'Oldest due since'],
    queues.map(({ queue, due, later, behind, lateMs }) => [
      queue,
      `${due}`,
      `${later}`,
      `${behind}`,
      due > 0 ? duration(Math.round(lateMs / 1000)) : '-',
    ]),
  )
}

function duration(seconds: number): string {
  if (seconds < 120) return `${Math.max(0, seconds)} s`
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`
}
