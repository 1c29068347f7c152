import type { Config } from '../../config.ts'
import { writeAuditLog } from '../../database/audit-log.ts'
import { hashPassword, insertPerson, listPeople } from '../../domain/apps/collaborators/index.ts'
import { openPasswords } from '../../vault/passwords.ts'
import { unixSeconds } from '../clock.ts'
import { newPassword } from '../commands/collaborator.ts'
import { openConfiguredDatabase } from '../configured-database.ts'
import { openLog } from '../log.ts'
import type { DataFolder, Owner } from './data-folder.ts'

const email = 'owner@localhost'

/** Makes the first collaborator of a local install. Undefined: others had made one. */
export async function firstOwner(config: Config, folder: DataFolder): Promise<Owner | undefined> {
  const log = openLog('error', `${folder.path}/chorale.log`)
  await using database = openConfiguredDatabase(config, log)
  const people = await listPeople(database)
  if (people.some((person) => person.email === folder.state.owner?.email)) return folder.state.owner
  if (people.length > 0) return undefined
  const password = newPassword()
  const passwordHash = await hashPassword(openPasswords(config.PASSWORD_CONCURRENCY), password)
  const createdAt = unixSeconds()
  await database.transaction(async (db) => {
    await insertPerson({ db }, { email, name: 'Owner', role: 'owner', passwordHash, createdAt })
    const operation = 'collaborator create'
    const input = { email, role: 'owner' }
    const entry = { appId: '', at: createdAt, caller: 'cli', operation, input, requestId: '' }
    await writeAuditLog(db, entry)
  })
  const owner = { email, password }
  folder.keep({ owner })
  return owner
}
