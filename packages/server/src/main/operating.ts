import { openDeadLetters } from '../bus/dead-letters.ts'
import type { Operating } from '../domain/operators/index.ts'
import { unixSeconds } from './clock.ts'
import { Subject } from './commands/doctor/subject.ts'
import { readStatus, type Status } from './commands/status/read-status.ts'
import type { Core } from './parts/core.ts'

/** Whoever asks wants to know that PostgreSQL hangs, and does not want to wait for it. */
const statementTimeoutMs = 10_000
/** Those of the settings look at the environment of a command; a process that serves has read it. */
const checksOfCommands = ['settings', 'setting-values']

/** What `chorale status` and `chorale dead-letters` show, for those who ask over HTTP. */
export function openOperating({ config, stream }: Pick<Core, 'config' | 'stream'>): Operating {
  let underWay: ReturnType<Operating['status']> | undefined
  const read = async () => {
    await using subject = new Subject({}, statementTimeoutMs, config)
    return shown(await readStatus(subject, checksOfCommands))
  }
  return {
    // Many who ask at once wait for one answer.
    status() {
      underWay ??= read().finally(() => {
        underWay = undefined
      })
      return underWay
    },
    letters: openDeadLetters(stream),
  }
}

function shown({ ok, version, database, nats, processes, queues, outbox, problems }: Status) {
  return {
    ok,
    version,
    readAt: unixSeconds(),
    ...(database && { database: shownDatabase(database) }),
    ...(nats && { nats: shownNats(nats) }),
    processes: (processes ?? []).map(({ parts, ...report }) => ({ ...report, parts: [...parts] })),
    queues: [...(queues ?? [])],
    ...(outbox && { outbox }),
    problems: problems.map(({ check, level, text, remedy }) => ({
      check,
      level: level === 'failure' ? ('failure' as const) : ('warning' as const),
      text,
      ...(remedy !== undefined && { remedy }),
    })),
  }
}

function shownDatabase(database: NonNullable<Status['database']>) {
  const { version, schema, connections, maxConnections } = database
  return { version, ...(schema !== undefined && { schema }), connections, maxConnections }
}

function shownNats({ version, consumers, deadLetters }: NonNullable<Status['nats']>) {
  return {
    version,
    ...(deadLetters !== null && { deadLetters }),
    consumers: (consumers ?? []).map(({ consumer, messages }) => ({ consumer, messages })),
  }
}
