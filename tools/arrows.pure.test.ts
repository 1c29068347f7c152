import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import type { KnownImports } from './arrows-known.ts'
import { cleanHouse, npmPackages, src } from './arrows-sample.ts'

// The rules are tried on a small copy of the house, so that the real tree is never dirtied.

const root = resolve(import.meta.dirname, '..')

const known: KnownImports = {
  'domain-never-holds-the-pool': ['domain/users/presence.ts', 'domain/users/erasure.ts'],
  'db-without-app-stays-in-sql': ['domain/users/presence.ts', 'domain/users/erasure.ts'],
  'edge-knows-no-other-edge': ['gateway/handshake.ts', 'gateway/channel.ts'],
}

/** Builds a house of these files and returns the names of the rules each file breaks. */
function inspect(files: Record<string, string>): Map<string, string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'chorale-arrows-'))
  const house = join(folder, 'house')
  const config = join(folder, 'arrows.mjs')
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(house, path)), { recursive: true })
    writeFileSync(join(house, path), text)
  }
  try {
    for (const [path, text] of Object.entries(files)) put(path, text)
    for (const [name, { exports, files: inside }] of Object.entries(npmPackages)) {
      put(`node_modules/${name}/package.json`, JSON.stringify({ name, type: 'module', exports }))
      for (const path of inside) put(`node_modules/${name}/${path}`, '')
    }
    mkdirSync(join(house, 'node_modules/@chorale'), { recursive: true })
    symlinkSync('../../packages/contract', join(house, 'node_modules/@chorale/contract'))
    const rules = pathToFileURL(join(root, '.dependency-cruiser.mjs')).href
    writeFileSync(
      config,
      `import { configWith } from '${rules}'
      export default configWith(${JSON.stringify(known)})`,
    )
    return cruise(house, config)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function cruise(house: string, config: string): Map<string, string[]> {
  const report: { summary: { violations: { from: string; rule: { name: string } }[] } } =
    JSON.parse(
      execFileSync(
        process.execPath,
        [
          join(root, 'node_modules/.bin/depcruise'),
          ...['--config', config],
          ...['--output-type', 'json', '.'],
        ],
        { cwd: house, encoding: 'utf8', maxBuffer: 64 << 20 },
      ),
    )
  const broken = new Map<string, string[]>()
  for (const { from, rule } of report.summary.violations) {
    broken.set(from, [...(broken.get(from) ?? []), rule.name].sort())
  }
  return broken
}

test('the clean house passes, with its far-reaching test and what is known to break a rule', () => {
  expect(inspect(cleanHouse)).toEqual(new Map())
})

// Each case is a file put in the house, and the rules it must break. All are put there at once.
type Case = [what: string, path: string, text: string, ...rules: string[]]
const cases: Case[] = [
  [
    'the domain importing http/',
    `${src}/domain/users/friends.ts`,
    `import '../../http/server.ts'`,
    'domain-knows-nothing-above',
  ],
  [
    'the domain importing the pipeline itself, even only for a type',
    `${src}/domain/users/blocked-users.ts`,
    `import type {} from '../../pipeline/pipeline.ts'`,
    'domain-knows-nothing-above',
  ],
  [
    'users importing groups',
    `${src}/domain/users/auth-tokens.ts`,
    `import '../groups/index.ts'`,
    'domain-order-users',
  ],
  [
    'webhooks importing another listener',
    `${src}/domain/webhooks/webhooks.ts`,
    `import '../stats/index.ts'`,
    'domain-order-webhooks',
  ],
  [
    'a module without a place in the row',
    `${src}/domain/extras/extras.ts`,
    `import '../../database/app-db.ts'`,
    'domain-module-has-a-place',
  ],
  [
    'another module entered beside its door',
    `${src}/domain/groups/members.ts`,
    `import '../users/access.ts'`,
    'domain-through-the-door',
  ],
  [
    "another module's statements",
    `${src}/domain/groups/bans.ts`,
    `import '../users/users.sql.ts'`,
    'sql-of-another-module',
  ],
  [
    'statements called from main/',
    `${src}/main/app.ts`,
    `import '../domain/users/users.sql.ts'`,
    'sql-outside-the-domain',
  ],
  [
    'a cycle, even one that is closed only by a type',
    `${src}/worker/loop.ts`,
    `import './retries.ts'`,
    'no-cycle',
  ],
  [
    'the driver outside database/',
    `${src}/outbox/publish.ts`,
    `import pg from 'pg'`,
    'driver-stays-in-database',
  ],
  [
    'the driver in a *.sql.ts file',
    `${src}/domain/users/friends.sql.ts`,
    `import { Pool } from 'pg'`,
    'driver-stays-in-database',
  ],
  [
    'SQL in a handler',
    `${src}/domain/users/profiles.ts`,
    `import { sql } from 'kysely'`,
    'statements-stay-in-sql',
  ],
  [
    'SQL in a handler, even only its type',
    `${src}/domain/users/searches.ts`,
    `import type { RawBuilder } from 'kysely'
    export type Condition = RawBuilder`,
    'statements-stay-in-sql',
  ],
  [
    'production code importing a test tool from its dist/',
    `${src}/domain/users/clocks.ts`,
    `import { vi } from 'vitest'
    export const clock = vi`,
    'no-test-code-in-production',
  ],
  [
    'production code importing a test tool, even only for a type',
    `${src}/domain/users/arbitraries.ts`,
    `import type { Arbitrary } from 'fast-check'
    export type Users = Arbitrary`,
    'no-test-code-in-production',
  ],
  [
    'production code importing packages/testing',
    `${src}/domain/users/fixtures.ts`,
    `import '../../../../testing/src/engines/test-database.ts'`,
    'no-test-code-in-production',
  ],
  [
    'the program importing packages/testing',
    'packages/server/bin/chorale.js',
    `import '../../testing/src/service/test-app.ts'`,
    'no-test-code-in-production',
  ],
  [
    'a pure test that reaches an engine',
    `${src}/domain/users/friends.pure.test.ts`,
    `import '../../../../testing/src/service/test-app.ts'`,
    'pure-test-needs-no-engine',
  ],
  [
    'a service test that reaches no engine',
    `${src}/domain/users/friends.test.ts`,
    `import './users.ts'`,
    'service-test-needs-an-engine',
  ],
  [
    'an edge importing the domain',
    `${src}/gateway/session.ts`,
    `import '../domain/users/index.ts'`,
    'edges-never-know-the-domain',
  ],
  [
    'the pipeline importing an edge',
    `${src}/pipeline/rate-limit.ts`,
    `import '../http/server.ts'`,
    'pipeline-knows-nothing-above',
  ],
  [
    'the database importing the pipeline',
    `${src}/database/batcher.ts`,
    `import '../pipeline/pipeline.ts'`,
    'floor-knows-nothing-above',
  ],
  [
    'main/ imported',
    `${src}/worker/dead-letters.ts`,
    `import '../main/serve.ts'`,
    'main-is-imported-by-nobody',
  ],
  [
    'the domain importing the pool, even only for a type',
    `${src}/domain/users/sessions.ts`,
    `import type { Database } from '../../database/pool.ts'
    export type Parts = { database: Database }`,
    'domain-never-holds-the-pool',
  ],
  [
    'a database without an app outside *.sql.ts',
    `${src}/domain/users/cycles.ts`,
    `import type { Db } from '../../database/db.ts'
    export type Parts = { db: Db }`,
    'db-without-app-stays-in-sql',
  ],
  [
    'a database without an app in an edge',
    `${src}/worker/tidying.ts`,
    `import type { Db } from '../database/db.ts'
    export type Parts = { db: Db }`,
    'db-without-app-stays-in-sql',
  ],
  [
    'the gateway importing http/',
    `${src}/gateway/calls.ts`,
    `import '../http/server.ts'`,
    'edge-knows-no-other-edge',
  ],
  [
    'http/ importing the worker',
    `${src}/http/pages.ts`,
    `import '../worker/retries.ts'`,
    'edge-knows-no-other-edge',
  ],
  [
    'a file that is known to hold the pool, and no longer does,',
    `${src}/domain/users/erasure.ts`,
    `import '../../database/app-db.ts'`,
    'still-breaks-db-without-app-stays-in-sql',
    'still-breaks-domain-never-holds-the-pool',
  ],
  [
    'a file that is known to import another edge, and no longer does,',
    `${src}/gateway/channel.ts`,
    `import './handshake.ts'`,
    'still-breaks-edge-knows-no-other-edge',
  ],
  [
    'the contract importing anything but its schema library',
    'packages/contract/src/errors.ts',
    `import 'node:fs'`,
    'contract-stands-alone',
  ],
  [
    'the sdk importing the server',
    'packages/sdk/src/rest.ts',
    `import '../../server/src/pipeline/handler.ts'`,
    'sdk-knows-only-the-contract',
  ],
  ...['compat', 'react'].map((name): Case => {
    const path = `packages/${name}/src/index.ts`
    const code = `import '../../contract/src/errors.ts'`
    return [`${name} importing the contract`, path, code, `${name}-knows-only-the-sdk`]
  }),
  [
    'the rig of faults importing the service',
    'faults/check.ts',
    `import '../packages/contract/src/errors.ts'`,
    'faults-know-only-the-interface',
  ],
  [
    'production code importing a test',
    `${src}/pipeline/failure.ts`,
    `import '../domain/users/users.test.ts'`,
    'no-test-code-in-production',
    'pipeline-knows-nothing-above',
  ],
  [
    'a file that nobody imports and that imports nobody',
    `${src}/pipeline/lonely.ts`,
    'export const limit = 1',
    'no-orphan',
  ],
  [
    'an import that leads nowhere',
    `${src}/pipeline/lost.ts`,
    `import './nowhere.ts'`,
    'no-unresolvable',
  ],
]

const broken = inspect({
  ...cleanHouse,
  ...Object.fromEntries(cases.map(([, path, text]) => [path, text])),
  // Closes the cycle; the checker accuses one file of it, the first by name.
  [`${src}/worker/retries.ts`]: `import type {} from './loop.ts'`,
})

test.each(cases)('%s fails the build', (_what, path, _text, ...rules) => {
  expect(broken.get(path)).toEqual([...rules].sort())
})

test('nothing else is accused', () => {
  const planted = cases.map(([, path]) => path)
  expect([...broken.keys()].filter((path) => !planted.includes(path))).toEqual([])
})
