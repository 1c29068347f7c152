import { ConfigError } from '../../../config.ts'
import {
  migrate,
  reapplyFunctions,
  requireSchema,
  SchemaError,
  staleFunctions,
} from '../../../database/migrator.ts'
import { openConfiguredVault } from '../../configured-vault.ts'
import { type Check, failure, ok } from './check.ts'
import { advanceSequence, lateSequences } from './database.sql.ts'
import { extension } from './database.ts'

const schema: Check = {
  name: 'schema',
  looksAt: 'every migration of this release was applied, and none of a later one',
  needs: ['database', 'rights'],
  async run({ config, database: { db } }) {
    try {
      await requireSchema(db, { later: config.DATABASE_LATER_SCHEMA })
      return ok('that of this release')
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error
      const isBehind = error.message.includes('is behind')
      const remedy = isBehind ? 'Run `chorale migrate`.' : 'Start the release that migrated it.'
      const repair = async () => `applied ${(await migrate(config.DATABASE_URL)).join(', ')}`
      return failure(error.message, remedy, isBehind ? repair : undefined)
    }
  },
}

const functions: Check = {
  name: 'functions',
  looksAt: 'the SQL functions in the database are those of this release, not changed by hand',
  needs: ['schema'],
  async run({ config, database: { db } }) {
    const stale = await staleFunctions(db)
    if (stale.length === 0) return ok('those of this release')
    const text = `SQL functions were dropped or changed by hand: ${stale.join(', ')}.`
    return failure(text, 'Run `chorale doctor --repair`.', async () => {
      await reapplyFunctions(config.DATABASE_URL)
      return `applied ${stale.join(', ')} again`
    })
  },
}

const masterKey: Check = {
  name: 'master-key',
  looksAt: 'CHORALE_MASTER_KEY opens the secrets of this database',
  needs: ['schema'],
  async run({ config, database }) {
    try {
      await openConfiguredVault(config, database)
      return ok('opens the secrets')
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      const remedy = 'Set CHORALE_MASTER_KEY to the key the install was made with (docs/keys.md).'
      return failure(error.message, remedy)
    }
  },
}

const sequences: Check = {
  name: 'sequences',
  looksAt: 'no sequence is behind a number that is in use',
  needs: ['schema'],
  async run({ database: { db } }) {
    const late = await lateSequences(db)
    if (late.length === 0) return ok('ahead of what is in use')
    const text = `Sequences are behind what is in use: ${late.map(({ name }) => name).join(', ')}.`
    const remedy = 'Run `chorale doctor --repair`; after a restore, `chorale epoch new` instead.'
    return failure(text, remedy, async () => {
      for (const { name, used } of late) await advanceSequence(db, name, used)
      return `advanced ${late.map(({ name }) => name).join(', ')}`
    })
  },
}

export const schemaChecks: readonly Check[] = [schema, extension, functions, masterKey, sequences]
