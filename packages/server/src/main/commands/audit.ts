import { Command, InvalidArgumentError } from 'commander'
import { readAuditLog } from '../../database/audit-log.ts'
import { shownEntry } from '../../domain/apps/index.ts'
import { unixSeconds } from '../clock.ts'
import { date, print, table, withTools } from './output.ts'

export function auditCommand(): Command {
  return new Command('audit')
    .description('Who did what.')
    .addCommand(listCommand())
    .addCommand(exportCommand())
}

interface Options {
  readonly app?: string
  readonly operation?: string
  readonly caller?: string
  readonly since?: number
  readonly limit: number
  readonly json?: true
}

function listCommand(): Command {
  return new Command('list')
    .description('List it, newest first.')
    .option('--app <appId>', 'of this app')
    .option('--operation <name>', 'of this operation, such as createApiKey')
    .option('--caller <caller>', 'by this caller, such as key:Server or device:ann')
    .option('--since <when>', 'not before: a time ago (30m, 12h, 7d) or a date', readTime)
    .option('--limit <n>', 'at most so many', readLimit, 100)
    .option('--json', 'print JSON')
    .action(async ({ app, json, ...filter }: Options) => {
      const wanted = { ...filter, ...(app !== undefined && { appId: app }) }
      const rows = await withTools(({ database: { db } }) => readAuditLog(db, wanted))
      const entries = rows.map(shownEntry)
      print(json, entries, () =>
        table(
          ['At', 'App', 'Caller', 'Key', 'User', 'Address', 'Operation', 'Input'],
          entries.map(({ at, appId = '', caller, keyId = '', uid = '', address = '', ...more }) => [
            ...[date(at), appId, caller, keyId, uid, address, more.operation],
            JSON.stringify(more.input).slice(0, 100),
          ]),
        ),
      )
    })
}

const rowsAtOnce = 1000

function exportCommand(): Command {
  return new Command('export')
    .description('Write it to standard output, newest first: a JSON object a line.')
    .option('--app <appId>', 'of this app')
    .option('--since <when>', 'not before: a time ago (30m, 12h, 7d) or a date', readTime)
    .option('--until <when>', 'before: a time ago or a date', readTime)
    .option('--json', 'print JSON, as it does without this option')
    .action(async ({ app, ...times }: Pick<Options, 'app' | 'since'> & { until?: number }) => {
      const wanted = { ...times, ...(app !== undefined && { appId: app }), limit: rowsAtOnce }
      await withTools(async ({ database: { db } }) => {
        let last: number | undefined
        do {
          const place = last === undefined ? {} : { before: last }
          const rows = await readAuditLog(db, { ...wanted, ...place })
          for (const row of rows) console.log(JSON.stringify(shownEntry(row)))
          last = rows.length === rowsAtOnce ? rows.at(-1)?.id : undefined
        } while (last !== undefined)
      })
    })
}

const unitSeconds = { m: 60, h: 3600, d: 86_400 } as const

function readTime(text: string): number {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  // The expression lets no other letter through.
  if (unit) return unixSeconds() - Number(count) * unitSeconds[unit as keyof typeof unitSeconds]
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw new InvalidArgumentError('Use 30m, 12h, 7d or a date.')
  return Math.floor(at / 1000)
}

function readLimit(text: string): number {
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 1 && limit <= 10_000) return limit
  throw new InvalidArgumentError('Use a number from 1 to 10000.')
}
