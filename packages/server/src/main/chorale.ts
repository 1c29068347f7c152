import { PlainError } from '../plain-error.ts'
import { buildProgram } from './program.ts'

const remedies = [
  {
    when: /unsupported startup parameter/,
    say:
      'A connection pooler answers, not PostgreSQL. At DATABASE_URL: set DATABASE_POOLER=transaction. ' +
      'At DATABASE_SESSION_URL: set the address of PostgreSQL itself.',
  },
  {
    when: /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT)$|timeout exceeded when trying/,
    say: 'The database does not answer: check DATABASE_URL, or run `npm run services` in a clone.',
  },
  {
    when: /^ERR_INVALID_URL$/,
    say: 'DATABASE_URL is not an address like postgres://user:password@host:5432/database.',
  },
  {
    when: /is a standby/,
    say: 'The database is a standby: let DATABASE_URL name the primary, or all servers of which one is.',
  },
  {
    when: /^57P0[123]$|Connection terminated/,
    say: 'The database starts, stops, or nothing behind DATABASE_URL takes writes: try again in a moment.',
  },
  {
    when: /^53300$/,
    say: 'PostgreSQL has no connection left: raise its max_connections, or run fewer processes.',
  },
  { when: /^28/, say: 'PostgreSQL refuses the user or the password: check DATABASE_URL.' },
  { when: /^42P01$/, say: 'A table is missing: run `chorale migrate` first.' },
  {
    when: /^3D000$/,
    say: 'The database does not exist: create it, then run `chorale migrate`.',
  },
  { when: /^23503$/, say: 'There is no such app: `chorale app list` shows them.' },
  {
    when: /^EADDRINUSE$/,
    say: 'The port is taken: choose another with PORT, --port or OPERATIONS_PORT.',
  },
  {
    when: /^(EACCES|EADDRNOTAVAIL)$/,
    say: 'Cannot listen there: check HOST, PORT, OPERATIONS_HOST and OPERATIONS_PORT.',
  },
]

try {
  const program = await buildProgram(process.argv.slice(2))
  await program.parseAsync()
} catch (error) {
  process.exitCode = 1
  console.error(error instanceof PlainError ? error.message : explain(error))
}

/** What an operator can act on; anything else keeps its stack. */
function explain(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const code = 'code' in error ? String(error.code) : ''
  return remedies.find(({ when }) => when.test(code) || when.test(error.message))?.say ?? error
}
