import { execute } from './commands.ts'
import { postgresProgram } from './postgres.ts'

/** Runs the work with the address of an empty database, which is dropped after. */
export async function withScratchDatabase<T>(
  databaseUrl: string,
  name: string,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const server = ['--maintenance-db', databaseUrl, '-w']
  const drop = () => execute(postgresProgram('dropdb'), [...server, '--if-exists', '--force', name])
  await drop()
  await execute(postgresProgram('createdb'), [...server, name])
  try {
    const url = new URL(databaseUrl)
    url.pathname = `/${name}`
    return await work(url.href)
  } finally {
    await drop()
  }
}
