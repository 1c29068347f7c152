import { rmSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { ensureServices } from '../../../../tools/services.ts'
import { coverageFolder } from '../service/coverage-folder.ts'
import { schemaDigest } from './schema-digest.ts'
import { openTemplate } from './template-database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    databaseUrl: string
    natsUrl: string
    template: string
    /** Begins the names of this run's streams. */
    natsPrefix: string
  }
}

const run = new AsyncDisposableStack()

/** The engines, and a migrated database, which every test file clones. */
export async function setup(project: TestProject): Promise<void> {
  const { databaseUrl, natsUrl } = await ensureServices()
  const template = await openTemplate({
    databaseUrl,
    prefix: 'chorale_template',
    digest: schemaDigest(),
    migrate: async (url) => (await import('../../../server/src/database/migrator.ts')).migrate(url),
  })
  run.use(template)
  const natsPrefix = `chorale_test_${process.pid}_${project.name}`
  run.defer(async () => (await import('./event-streams.ts')).deleteStreams(natsUrl, natsPrefix))
  rmSync(coverageFolder, { recursive: true, force: true })
  project.provide('databaseUrl', databaseUrl)
  project.provide('natsUrl', natsUrl)
  project.provide('template', template.name)
  project.provide('natsPrefix', natsPrefix)
}

export async function teardown(): Promise<void> {
  await run.disposeAsync()
}
