import { type CollaboratorRole, collaboratorRoles } from '@chorale/contract/apps'
import type { InstallDb } from '../../../database/app-db.ts'
import { Failure } from '../../../pipeline/failure.ts'
import type { OpenIdParts, ProviderRole } from './openid-parts.ts'
import {
  hasAnyRole,
  insertPerson,
  linkPerson,
  type PersonRow,
  setProviderRole,
} from './people.sql.ts'
import { type Browser, enter } from './sign-in.ts'

/** `group:admins=owner,domain:example.com=viewer`; undefined: it reads otherwise. */
export function readProviderRoles(text: string): readonly ProviderRole[] | undefined {
  const entries = text.split(',').flatMap((entry) => entry.trim() || [])
  const read = entries.flatMap((entry) => {
    const [, by, value = '', role] = /^(group|domain):([^=]+)=(\w+)$/.exec(entry) ?? []
    const known = collaboratorRoles.find((one) => one === role)
    return (by === 'group' || by === 'domain') && known ? [{ by, value, role: known } as const] : []
  })
  return read.length === entries.length ? read : undefined
}

export interface Claims {
  readonly iss: string
  readonly sub: string
  readonly email?: unknown
  readonly email_verified?: unknown
  readonly name?: unknown
  readonly [claim: string]: unknown
}

/** Who came before, who was invited by a verified address, or who has a role by group or domain. */
export async function letIn(
  parts: OpenIdParts,
  claims: Claims,
  browser: Browser,
): Promise<{ session: string }> {
  const email = verifiedEmail(claims)
  const role = roleBy(parts, claims, email)
  const entered = await parts.transactions.inInstall(async ({ db }) => {
    const { iss: issuer, sub: subject } = claims
    const who = { issuer, subject, email }
    const person =
      (await linkPerson(db, who)) ?? (await admit(db, parts, who, role, nameIn(claims)))
    if (!person) return undefined
    await setProviderRole(db, person.id, role ?? null)
    // Not thrown here: the role that the provider has taken away would come back with the rollback.
    if (!(await hasAnyRole(db, person.id))) return undefined
    const { id, name } = person
    return enter(db, parts, { id, name, email: person.email, method: 'oidc' }, browser)
  })
  if (!entered) throw new Failure('ERR_NOT_INVITED')
  return entered
}

/** Undefined: not invited, and no rule lets them in. */
async function admit(
  db: InstallDb,
  { clock }: OpenIdParts,
  who: Parameters<typeof linkPerson>[1],
  role: CollaboratorRole | undefined,
  name: string | undefined,
): Promise<PersonRow | undefined> {
  const { email } = who
  if (email === undefined || role === undefined) return undefined
  const person = { email, name: name ?? email.split('@', 1)[0] ?? email, createdAt: clock() }
  // Taken: by somebody who is another person at the provider.
  if ((await insertPerson(db, person)) === undefined) return undefined
  return linkPerson(db, who)
}

function verifiedEmail({ email, email_verified: verified }: Claims): string | undefined {
  const isKnown = typeof email === 'string' && (verified === true || verified === 'true')
  return isKnown ? email.toLowerCase() : undefined
}

function nameIn({ name }: Claims): string | undefined {
  return typeof name === 'string' && name.trim() !== '' ? name.slice(0, 100) : undefined
}

function roleBy(
  { roles, groupsClaim }: OpenIdParts,
  claims: Claims,
  email: string | undefined,
): CollaboratorRole | undefined {
  const groups = [claims[groupsClaim]].flat()
  const domain = email?.split('@').at(-1)
  return roles.find(({ by, value }) =>
    by === 'group' ? groups.includes(value) : domain === value.toLowerCase(),
  )?.role
}
