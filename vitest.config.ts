import { defineConfig } from 'vitest/config'
import { LongFirst } from './tools/test-order.ts'

const roots = ['packages', 'tools', 'bench', 'faults']
const named = (suffix: string) => roots.map((folder) => `${folder}/**/*${suffix}`)

const everyProject: {
  pool: 'forks'
  isolate: boolean
  testTimeout: number
  hookTimeout: number
  expect: { poll: { timeout: number } }
} = {
  pool: 'forks',
  // Loading the service takes as long as most files take to test it; it keeps no state of its own.
  isolate: false,
  // These bound what never comes. What comes late on a busy machine is no failure.
  testTimeout: 60_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 15_000 } },
}

/** PostgreSQL, NATS and a migrated template database. */
const globalSetup = ['packages/testing/src/engines/global-setup.ts']

export default defineConfig({
  test: {
    // On two cores: a file waits half of its time, for the database, for NATS, for what must not come.
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
    projects: [
      { test: { ...everyProject, name: 'pure', include: named('.pure.test.ts') } },
      {
        test: {
          ...everyProject,
          name: 'service',
          globalSetup,
          include: named('.test.ts'),
          exclude: ['**/node_modules/**', ...named('.{pure,slow}.test.ts')],
        },
      },
      {
        test: {
          ...everyProject,
          name: 'slow',
          globalSetup,
          include: named('.slow.test.ts'),
          testTimeout: 600_000,
        },
      },
    ],
  },
})
