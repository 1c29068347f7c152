import { rmSync } from 'node:fs'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { ensureServices } from '../../../../tools/services.ts'
import { migrate } from '../database/migrator.ts'
import { coverageFolder } from './contract-coverage.ts'
import { deleteStreams } from './event-streams.ts'

declare module 'vitest' {
  interface ProvidedContext {
    databaseUrl: string
    natsUrl: string
    template: string
  }
}

let dropTemplate: (() => Promise<void>) | undefined

/** One migrated database per run, which every test file clones. */
export async function setup(project: TestProject): Promise<void> {
  const { databaseUrl, natsUrl } = await ensureServices()
  const template = `chorale_template_${process.pid}_${project.name}`
  const admin = new pg.Client({ connectionString: databaseUrl })
  await admin.connect()
  await admin.query(`drop database if exists ${template} with (force)`)
  await admin.query(`create database ${template}`)
  await migrate(withDatabase(databaseUrl, template))
  rmSync(coverageFolder, { recursive: true, force: true })
  project.provide('databaseUrl', databaseUrl)
  project.provide('natsUrl', natsUrl)
  project.provide('template', template)
  dropTemplate = async () => {
    await admin.query(`drop database if exists ${template} with (force)`)
    await admin.end()
    await deleteStreams(natsUrl, template)
  }
}

export async function teardown(): Promise<void> {
  await dropTemplate?.()
}

export function withDatabase(url: string, name: string): string {
  const result = new URL(url)
  result.pathname = `/${name}`
  return result.href
}
