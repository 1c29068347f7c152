// A small house with every kind of file, on which tools/arrows.pure.test.ts tries the rules.

export const src = 'packages/server/src'

export const cleanHouse: Record<string, string> = {
  'package.json': `{ "private": true, "type": "module",
    "devDependencies": { "vitest": "1.0.0", "fast-check": "1.0.0" } }`,
  'packages/contract/package.json': `{
    "name": "@chorale/contract", "type": "module", "dependencies": { "typebox": "1.0.0" },
    "exports": { "./users": "./src/users/users.ts" } }`,
  'packages/server/package.json': `{
    "name": "@chorale/server", "type": "module",
    "dependencies": { "@chorale/contract": "0.1.0", "kysely": "1.0.0", "pg": "1.0.0" } }`,
  'packages/contract/src/users/users.ts': `import { Type } from 'typebox'
    export const User = Type`,
  [`${src}/main/serve.ts`]: `import '../api.ts'
    import '../http/server.ts'`,
  [`${src}/api.ts`]: `import './domain/groups/groups.ts'
    import './domain/users/users.ts'`,
  [`${src}/http/server.ts`]: `import '../pipeline/pipeline.ts'`,
  [`${src}/pipeline/pipeline.ts`]: `import './handler.ts'`,
  [`${src}/pipeline/handler.ts`]: `import type { AppDb } from '../database/app-db.ts'
    export type Ctx = { db: AppDb }`,
  [`${src}/database/pool.ts`]: `import { Pool } from 'pg'
    import type { Db } from './db.ts'
    export type Database = { pool: typeof Pool, db: Db }`,
  [`${src}/database/db.ts`]: `import type { Kysely } from 'kysely'
    export type Db = Kysely`,
  [`${src}/database/app-db.ts`]: `import type { Db } from './db.ts'
    export type AppDb = { db: Db }`,
  [`${src}/domain/users/index.ts`]: `export { access } from './access.ts'`,
  [`${src}/domain/users/access.ts`]: `import { selectUser } from './users.sql.ts'
    export const access = selectUser`,
  [`${src}/domain/users/users.ts`]: `import type { User } from '@chorale/contract/users'
    import type { Ctx } from '../../pipeline/handler.ts'
    import { access } from './access.ts'
    export const get = (ctx: Ctx): [Ctx, typeof User] => access(ctx)`,
  [`${src}/domain/users/users.sql.ts`]: `import { sql } from 'kysely'
    import type { AppDb } from '../../database/app-db.ts'
    import type { Db } from '../../database/db.ts'
    export const selectUser = (db: AppDb | Db) => sql(db)`,
  // These break rules, and are known to.
  [`${src}/domain/users/presence.ts`]: `import type { Database } from '../../database/pool.ts'
    import type { Db } from '../../database/db.ts'
    export type Presence = { database: Database, db: Db }`,
  [`${src}/gateway/handshake.ts`]: `import '../http/server.ts'`,
  [`${src}/domain/groups/index.ts`]: `export { groups } from './groups.ts'`,
  [`${src}/domain/groups/groups.ts`]: `import { access } from '../users/index.ts'
    export const groups = access`,
  [`${src}/domain/stats/index.ts`]: `import '../users/index.ts'`,
  [`${src}/domain/users/users.test.ts`]: `import '../../http/server.ts'
    import '../groups/groups.ts'
    import '../../../../testing/src/service/test-app.ts'
    import 'pg'`,
  [`${src}/domain/users/names.pure.test.ts`]: `import './users.ts'`,
  'packages/testing/package.json': `{
    "name": "@chorale/testing", "type": "module", "devDependencies": { "pg": "1.0.0" } }`,
  'packages/testing/src/service/test-app.ts': `import '../engines/test-database.ts'
    import '../../../server/src/main/serve.ts'`,
  'packages/testing/src/engines/test-database.ts': `import 'pg'
    import 'vitest'`,
}

/** The npm packages of the house, each laid out as the real one: its entry and where its types lie. */
export const npmPackages: Record<string, { readonly exports: unknown; readonly files: string[] }> =
  {
    pg: {
      exports: { '.': { import: './esm/index.mjs', default: './lib/index.js' } },
      files: ['esm/index.mjs', 'lib/index.js'],
    },
    kysely: {
      exports: { '.': { 'types@<5.4': './outdated-typescript.d.ts', default: './dist/index.js' } },
      files: ['dist/index.js', 'dist/index.d.ts', 'outdated-typescript.d.ts'],
    },
    typebox: {
      exports: { '.': { import: './build/index.mjs', default: './build/index.mjs' } },
      files: ['build/index.mjs', 'build/index.d.mts'],
    },
    vitest: {
      exports: { '.': { import: { types: './dist/index.d.ts', default: './dist/index.js' } } },
      files: ['dist/index.js', 'dist/index.d.ts'],
    },
    'fast-check': {
      exports: {
        '.': { import: { types: './lib/fast-check.d.ts', default: './lib/fast-check.js' } },
      },
      files: ['lib/fast-check.js', 'lib/fast-check.d.ts'],
    },
  }
