import { type Check, failure, ok, warning } from './check.ts'
import { readDurability } from './database.sql.ts'
import { isLocal } from './database.ts'

/** What PostgreSQL waits for before it says that a message is stored. */
export const durability: Check = {
  name: 'durability',
  looksAt: 'a commit waits for the disk, and for a standby where there is one',
  needs: ['database'],
  async run({ config, database: { db } }) {
    const { fsync, synchronousCommit, standbys, synchronousStandbys } = await readDurability(db)
    if (synchronousCommit === 'off') {
      return failure(
        'Messages are acknowledged before they are on the disk (synchronous_commit = off).',
        'Set `synchronous_commit = on`, also where it is set for the database or the role.',
      )
    }
    // An engine for tests on the same machine has it off.
    if (!fsync && !isLocal(config.DATABASE_URL)) {
      return failure(
        'A crash of the machine of PostgreSQL may destroy the database (fsync = off).',
        'Set `fsync = on` in postgresql.conf and restart it.',
      )
    }
    const isRequired = config.DATABASE_STANDBY === 'required'
    if (standbys === 0 && !isRequired) {
      return ok('a commit waits for the disk; no standby is seen')
    }
    const remedy =
      'Set `synchronous_mode: true` and `synchronous_mode_strict: true` in Patroni (4.0 or later), or ' +
      '`synchronous_standby_names` in postgresql.conf, with `synchronous_commit = on`.'
    if (!synchronousStandbys || synchronousCommit === 'local') {
      const text = `A commit does not wait for a standby (connected: ${standbys}).`
      return isRequired
        ? failure(`${text} Calls are answered 503 until it does (DATABASE_STANDBY).`, remedy)
        : warning(`${text} What was acknowledged is lost when one takes over.`, remedy)
    }
    return ok(`a commit waits for the disk and for a standby; connected: ${standbys}`)
  },
}
