import { Command } from 'commander'
import { CommandError, print } from '../output.ts'
import { allChecks, examine, type Result } from './examination.ts'
import { Subject } from './subject.ts'

/** A count over a large table takes longer than a call may. */
const statementTimeoutMs = 600_000

interface Options {
  readonly repair?: true
  readonly json?: true
}

export function doctorCommand(environment = process.env): Command {
  return new Command('doctor')
    .description('Check settings, engines, schema, streams, queues and counters; say what to do.')
    .option('--repair', 'repair what can be repaired; safe while others serve')
    .option('--json', 'print JSON')
    .action(async ({ repair, json }: Options) => {
      await using subject = new Subject(environment, statementTimeoutMs)
      const results = await examine(subject, allChecks, {
        repair: repair ?? false,
        report: printProgress,
      })
      const failures = results.filter(({ level }) => level === 'failure').length
      print(json, { ok: failures === 0, checks: results }, () => layout(results))
      if (failures > 0) throw new CommandError(`${failures} of ${results.length} checks failed.`)
    })
}

/** Only for somebody who watches. */
function printProgress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[2K${line}\r`)
}

export function layout(results: readonly Result[]): string {
  const width = Math.max(...results.map(({ check }) => check.length))
  return results
    .flatMap(({ check, level, text, remedy }) => [
      `${level.padEnd(9)} ${check.padEnd(width)}  ${text}`,
      ...(remedy ? [`${' '.repeat(width + 11)}-> ${remedy}`] : []),
    ])
    .join('\n')
}
