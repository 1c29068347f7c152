import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ownVersions, startOwnPostgres } from './services/own-postgres.ts'
import { startPgBouncer } from './services/pgbouncer.ts'
import { ensureServices, type Services } from './services.ts'
import { root } from './tree.ts'

// npm run test:engines -- 16 17 18 pgbouncer [paths]
//
// The service tests on other versions of PostgreSQL, and those of messages, history and realtime
// through PgBouncer; or the tests below these paths.

const engines = [...ownVersions, 'pgbouncer']
const named = process.argv.slice(2).filter((argument) => engines.includes(argument))
const paths = process.argv.slice(2).filter((argument) => !engines.includes(argument))

const messages = 'packages/server/src/domain/messages'
/** Each is run, and counted, by itself: one that has no tests fails. */
const pooled: Readonly<Record<string, readonly string[]>> = {
  messages: [messages, '--exclude', `${messages}/history/**`],
  history: [`${messages}/history`],
  realtime: ['packages/server/src/gateway'],
}

function runTests(env: NodeJS.ProcessEnv, only: readonly string[]): Promise<number> {
  const vitest = join(root, 'node_modules/.bin/vitest')
  const child = spawn(vitest, ['run', '--project', 'service', ...only], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? 1))
  })
}

async function runOn(engine: string, { databaseUrl, natsUrl }: Services): Promise<number> {
  const engines = { DATABASE_URL: databaseUrl, NATS_URL: natsUrl }
  if (engine === 'pgbouncer') {
    await using pooler = await startPgBouncer(databaseUrl)
    const TEST_POOLER = new URL(pooler.through(databaseUrl)).host
    const groups = paths.length > 0 ? { [paths.join(' ')]: paths } : pooled
    let code = 0
    for (const [name, only] of Object.entries(groups)) {
      console.log(`\nPgBouncer: ${name}`)
      code = (await runTests({ ...engines, TEST_POOLER }, only)) || code
    }
    return code
  }
  await using own = await startOwnPostgres(engine)
  return await runTests({ ...engines, DATABASE_URL: own.url }, paths)
}

const services = await ensureServices()
const failed: string[] = []
for (const engine of named.length > 0 ? named : engines) {
  if (/\d/.test(engine)) console.log(`\nPostgreSQL ${engine}`)
  if ((await runOn(engine, services)) !== 0) failed.push(engine)
}
if (failed.length > 0) console.error(`failed: ${failed.join(', ')}`)
process.exitCode = failed.length > 0 ? 1 : 0
