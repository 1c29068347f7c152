import { defineConfig } from 'vitest/config'

// Both projects need PostgreSQL and NATS, so both go through the same set-up.
const everyProject: {
  globalSetup: string[]
  pool: 'forks'
  isolate: boolean
  testTimeout: number
  hookTimeout: number
  expect: { poll: { timeout: number } }
} = {
  globalSetup: ['packages/server/src/testing/global-setup.ts'],
  pool: 'forks',
  // Loading the service takes as long as most files take to test it; it keeps no state of its own.
  isolate: false,
  // These bound what never comes. What comes late on a busy machine is no failure.
  testTimeout: 60_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 15_000 } },
}

export default defineConfig({
  test: {
    // On two cores: a file waits half of its time, for the database, for NATS, for what must not come.
    maxWorkers: 3,
    projects: [
      {
        test: {
          ...everyProject,
          name: 'unit',
          include: ['packages/**/*.test.ts', 'tools/**/*.test.ts', 'bench/**/*.test.ts'],
        },
      },
      {
        test: {
          ...everyProject,
          name: 'long',
          include: ['packages/**/*.long.ts', 'bench/**/*.long.ts'],
          testTimeout: 600_000,
        },
      },
    ],
  },
})
