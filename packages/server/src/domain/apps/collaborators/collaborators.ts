import type {
  Collaborator,
  CollaboratorRole,
  collaborators as contract,
  tenants,
} from '@chorale/contract/apps'
import type { ItemOutcome } from '@chorale/contract/envelope'
import type { AppDb } from '../../../database/app-db.ts'
import { Failure } from '../../../pipeline/failure.ts'
import type { Handlers, InstallHandlers, WriteCtx } from '../../../pipeline/handler.ts'
import type { Passwords } from '../../../vault/passwords.ts'
import { lockApp } from '../apps.sql.ts'
import { type AppSeed, createApp } from '../apps.ts'
import {
  findPerson,
  insertPerson,
  listMembersOfApp,
  type MemberRow,
  removeFromApp,
  setRoleInApp,
} from './people.sql.ts'
import { hashPassword } from './sign-in.ts'

const maxPerApp = 25

/** In this order: who is named twice has the role that comes last. */
const roleOf = {
  viewers: 'viewer',
  support: 'support',
  moderators: 'moderator',
  developers: 'developer',
  admins: 'owner',
  owners: 'owner',
} as const satisfies Readonly<Record<string, CollaboratorRole>>
type List = keyof typeof roleOf
const lists = Object.keys(roleOf) as readonly List[]

export const collaboratorHandlers: Handlers<typeof contract> = {
  async updateCollaborators({ body }, ctx) {
    // One after the other: the limit is counted.
    await lockApp(ctx.db)
    const { collaboratorsToRemove = [] } = body
    const removed = await outcomes(collaboratorsToRemove, (email) => remove(ctx, email))
    const set = async (list: List) => [
      list,
      await outcomes(body[list] ?? [], (email) => setRole(ctx, email, roleOf[list])),
    ]
    const done = []
    for (const list of lists) done.push(await set(list))
    return {
      data: {
        // A key for each list, by its name.
        ...(Object.fromEntries(done) as Record<List, Record<string, ItemOutcome>>),
        collaboratorsToRemove: removed,
      },
    }
  },

  async listCollaborators(_, { db }) {
    return { data: (await listMembersOfApp(db)).map(shown) }
  },
}

async function outcomes(
  emails: readonly string[],
  work: (email: string) => Promise<void>,
): Promise<Record<string, ItemOutcome>> {
  const result: Record<string, ItemOutcome> = {}
  for (const email of new Set(emails)) {
    try {
      await work(email)
      result[email] = { success: true }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      result[email] = { success: false, error: error.brief() }
    }
  }
  return result
}

async function remove({ db, caller }: WriteCtx, email: string): Promise<void> {
  requireOther(caller, email)
  if (!(await removeFromApp(db, email))) throw new Failure('ERR_NOT_A_COLLABORATOR', { email })
}

async function setRole(ctx: WriteCtx, email: string, role: CollaboratorRole): Promise<void> {
  const { db, caller, now } = ctx
  requireOther(caller, email)
  const person = await findPerson(db, { email })
  if (person && person.role !== null) {
    throw new Failure('ERR_ALREADY_AN_OWNER', { email, role: person.role })
  }
  const members = await listMembersOfApp(db)
  const isMember = members.some((member) => member.email === email)
  if (!isMember && members.length >= maxPerApp) {
    const what = 'collaborators of an app'
    throw new Failure('ERR_PLAN_QUOTA_RESTRICTION', { limit: maxPerApp, what })
  }
  await setRoleInApp(db, person?.id ?? (await invite(db, email, now)), role, now)
}

async function invite(db: AppDb, email: string, now: number): Promise<number> {
  const name = email.split('@', 1)[0] ?? email
  const id =
    (await insertPerson(db, { email, name, createdAt: now })) ??
    // Another app has invited them at the same moment.
    (await findPerson(db, { email }))?.id
  if (id === undefined) throw new Error('A person was neither made nor found.')
  return id
}

function requireOther(caller: WriteCtx['caller'], email: string): void {
  if (caller.kind === 'collaborator' && caller.email === email) {
    throw new Failure('ERR_SELF_ACTION_DENIED')
  }
}

function shown({ id, name, email, role, createdAt }: MemberRow): Collaborator {
  return { id: String(id), name, email, role, createdAt }
}

export function tenantHandlers(
  seeds: readonly AppSeed[],
  passwords: Passwords,
): InstallHandlers<typeof tenants, 'createTenant'> {
  return {
    createTenant: {
      async prepare({ body }) {
        const { name, email, appName, appRegion, contactNumber = '' } = body
        const passwordHash = await hashPassword(passwords, body.password)
        return async ({ db, vault, now }) => {
          const id = await insertPerson(db, { email, name, passwordHash, createdAt: now })
          if (id === undefined) throw new Failure('ERR_ALREADY_A_COLLABORATOR', { email })
          const wanted = { name: appName, region: appRegion }
          const { row, keys } = await createApp(db, vault, seeds, wanted, now)
          const { appId, region } = row
          await setRoleInApp({ ...db, appId }, id, 'owner', now)
          const { fullAccess, authOnly } = keys
          const app = { name: appName, appId, region, createdAt: now, plan: 'self-hosted' }
          const made = { ...app, authKey: authOnly.apiKey, apiKey: fullAccess.apiKey }
          return { data: { name, email, createdAt: now, contactNumber, app: made } }
        }
      },
    },
  }
}
