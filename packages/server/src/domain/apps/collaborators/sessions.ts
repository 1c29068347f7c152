import { randomBytes } from 'node:crypto'
import type {
  CollaboratorRole,
  CollaboratorSession,
  sessions as contract,
  Self,
} from '@chorale/contract/apps'
import { permissionNames, rolePermissions } from '@chorale/contract/permissions'
import type { InstallDb } from '../../../database/app-db.ts'
import { paginationOf } from '../../../database/keyset.ts'
import type { Caller } from '../../../pipeline/caller.ts'
import { Failure } from '../../../pipeline/failure.ts'
import type { InstallHandlers } from '../../../pipeline/handler.ts'
import type { Place, Vault } from '../../../vault/vault.ts'
import { listApps } from '../apps.sql.ts'
import {
  clearSessions,
  deleteSessions,
  findSession,
  insertSession,
  listSessionsOf,
  namesOfApps,
  noteSessionUse,
  type SessionAndPerson,
  type SessionRow,
} from './sessions.sql.ts'

/** What the operator has decided about sessions. */
export interface SessionRules {
  /** Not used for so long, it has ended. */
  readonly idleSeconds: number
  /** However much it is used. */
  readonly absoluteSeconds: number
  /** Whether a password alone leads nowhere but to setting up the second factor. */
  readonly secondFactor: 'required' | 'optional'
}

/** How exact `lastUsedAt` is. */
const noteUseSeconds = 60
const place: Place = { appId: '', table: 'collaborator_sessions', field: 'session' }
const maxUserAgent = 200

type Collaborator = Extract<Caller, { kind: 'collaborator' }>

/** Throws unless the session is in force: an ended one and a wrong one look alike. */
export async function checkSession(
  db: InstallDb,
  vault: Vault,
  rules: SessionRules,
  session: string,
  now: number,
): Promise<Omit<Collaborator, 'app'>> {
  const hash = hashOfSession(vault, session)
  const found = await findSession(db, hash)
  if (!found || !isInForce(found, rules, now)) throw new Failure('AUTH_ERR_SESSION_NOT_FOUND')
  const olderThan = now - noteUseSeconds
  if (found.lastUsedAt < olderThan) await noteSessionUse(db, hash, now, olderThan)
  const { collaboratorId, name, email, sessionId, role, roles } = found
  return {
    kind: 'collaborator',
    name,
    email,
    collaboratorId,
    sessionId,
    sessionHash: hash,
    role,
    roles,
    mustEnrol: mustEnrol(found, rules),
  }
}

function mustEnrol({ method, hasSecondFactor }: SessionAndPerson, { secondFactor }: SessionRules) {
  return method === 'password' && !hasSecondFactor && secondFactor === 'required'
}

function isInForce({ expiresAt, lastUsedAt }: SessionRow, rules: SessionRules, now: number) {
  return expiresAt > now && lastUsedAt + rules.idleSeconds > now
}

export function hashOfSession(vault: Vault, session: string): Buffer {
  return vault.hash(session, place)
}

interface WantedSession {
  readonly collaboratorId: number
  readonly method: SessionRow['method']
  readonly address: string
  readonly userAgent: string
}

/** What the cookie will hold: made anew at every sign-in, and kept as a hash. */
export async function startSession(
  db: InstallDb,
  vault: Vault,
  { absoluteSeconds }: SessionRules,
  { collaboratorId, method, address, userAgent }: WantedSession,
  now: number,
): Promise<{ session: string; sessionId: string }> {
  const session = randomBytes(32).toString('base64url')
  const sessionId = randomBytes(9).toString('base64url')
  await insertSession(db, hashOfSession(vault, session), collaboratorId, {
    sessionId,
    method,
    createdAt: now,
    expiresAt: now + absoluteSeconds,
    address,
    userAgent: userAgent.slice(0, maxUserAgent),
  })
  await clearSessions(db, now)
  return { session, sessionId }
}

type Own = Pick<typeof contract, 'getSession' | 'listOwnApps' | 'listSessions' | 'revokeSession'>

export function sessionHandlers(rules: SessionRules): InstallHandlers<Own> {
  return {
    async getSession(_, { db, caller }) {
      const { sessionId, sessionHash } = selfOf(caller)
      const found = await findSession(db, sessionHash)
      if (!found) throw new Failure('AUTH_ERR_SESSION_NOT_FOUND')
      const apps = await namesOfApps(db, Object.keys(found.roles))
      return { data: shownSelf(found, apps, shown(found, sessionId), mustEnrol(found, rules)) }
    },

    async listOwnApps({ query }, { db, caller }) {
      const { role, roles } = selfOf(caller)
      const appIds = role === null ? Object.keys(roles) : undefined
      const { rows, total } = await listApps(db, { ...query, ...(appIds && { appIds }) })
      const data = rows.map(({ appId, name, region, createdAt }) => ({
        id: appId,
        name,
        region,
        createdAt,
        permissions: permissionsOf(role, roles[appId]),
      }))
      return { data, meta: { pagination: paginationOf(query, rows.length, total) } }
    },

    async listSessions(_, { db, caller, now }) {
      const { collaboratorId, sessionId } = selfOf(caller)
      const usedSince = now - rules.idleSeconds + 1
      const rows = await listSessionsOf(db, collaboratorId, { now, usedSince })
      return { data: rows.map((row) => shown(row, sessionId)) }
    },

    async revokeSession({ params }, { db, caller }) {
      const { collaboratorId, sessionId: own } = selfOf(caller)
      const { sessionId } = params
      const others = sessionId === 'others'
      const which = others ? { but: own } : { sessionId: sessionId === 'current' ? own : sessionId }
      const ended = await deleteSessions(db, collaboratorId, which)
      if (ended === 0 && !others) throw new Failure('ERR_SESSION_NOT_FOUND')
      return { data: { success: true, message: `Ended: ${ended}.` } }
    },
  }
}

/** What a role in the install and one in an app allow together. */
function permissionsOf(...roles: readonly (CollaboratorRole | null | undefined)[]): string[] {
  return permissionNames.filter((name) =>
    roles.some((role) => role && rolePermissions[role].includes(name)),
  )
}

/** The contract lets nobody else call these. */
export function selfOf(caller: Caller): Collaborator {
  if (caller.kind === 'collaborator') return caller
  throw new Failure('AUTH_ERR_SESSION_NOT_FOUND')
}

function shown({ sessionId, ...row }: SessionRow, current: string): CollaboratorSession {
  const { createdAt, lastUsedAt, expiresAt, address, userAgent, method } = row
  const times = { createdAt, lastUsedAt, expiresAt }
  return { id: sessionId, ...times, address, userAgent, method, current: sessionId === current }
}

function shownSelf(
  found: SessionAndPerson,
  apps: readonly { id: string; name: string }[],
  session: CollaboratorSession,
  mustEnrol: boolean,
): Self {
  const { collaboratorId, name, email, role, roles, hasPassword, hasSecondFactor } = found
  return {
    id: String(collaboratorId),
    name,
    email,
    ...(role !== null && { role }),
    permissions: role === null ? [] : [...rolePermissions[role]],
    apps: apps.flatMap((app) => {
      const own: CollaboratorRole | undefined = roles[app.id]
      return own === undefined
        ? []
        : [{ ...app, role: own, permissions: [...rolePermissions[own]] }]
    }),
    hasPassword,
    hasSecondFactor,
    mustEnrol,
    session,
  }
}
