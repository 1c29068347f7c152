import type { CollaboratorRole } from '@chorale/contract/apps'
import type { Db } from '../../../server/src/database/db.ts'
import { insertPerson, setRoleInApp } from '../../../server/src/domain/apps/collaborators/index.ts'
import {
  type SessionRules,
  startSession,
} from '../../../server/src/domain/apps/collaborators/sessions.ts'
import type { Vault } from '../../../server/src/vault/vault.ts'

const rules: SessionRules = { idleSeconds: 3600, absoluteSeconds: 43_200, secondFactor: 'optional' }

/** A person, and a session as if they came from an OpenID provider. */
export async function newSession(
  { db }: { readonly db: Db },
  vault: Vault,
  person: {
    readonly email: string
    readonly name: string
    /** By app id; `'*'`: in the install. */
    readonly roles: Readonly<Record<string, CollaboratorRole>>
  },
  now: number,
): Promise<{ id: number; session: string; sessionId: string }> {
  const { '*': role = null, ...inApps } = person.roles
  const { email, name } = person
  const id = await insertPerson({ db }, { email, name, role, createdAt: now })
  if (id === undefined) throw new Error(`${email} is taken.`)
  for (const [appId, one] of Object.entries(inApps)) {
    await setRoleInApp({ db, appId }, id, one, now)
  }
  const wanted = {
    collaboratorId: id,
    method: 'oidc',
    address: '127.0.0.1',
    userAgent: '',
  } as const
  return { id, ...(await startSession({ db }, vault, rules, wanted, now)) }
}
