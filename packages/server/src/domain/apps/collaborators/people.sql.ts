import type { CollaboratorRole } from '@chorale/contract/apps'
import { sql } from 'kysely'
import type { AppDb, InstallDb } from '../../../database/app-db.ts'

export interface PersonRow {
  readonly id: number
  readonly email: string
  readonly name: string
  /** In every app; null: in some only. */
  readonly role: CollaboratorRole | null
  readonly createdAt: number
  readonly passwordHash: string | null
  readonly totpEncrypted: Buffer | null
  readonly totpConfirmedAt: number | null
  readonly totpStep: number
  readonly recoveryHashes: readonly Buffer[]
}

const columns = sql`
  collaborator_id as id, email, name, role, created_at as "createdAt",
  password_hash as "passwordHash", totp_encrypted as "totpEncrypted",
  totp_confirmed_at as "totpConfirmedAt", totp_step as "totpStep",
  recovery_hashes as "recoveryHashes"`

export async function findPerson(
  { db }: InstallDb,
  by: { readonly email: string } | { readonly id: number },
): Promise<PersonRow | undefined> {
  const match = 'email' in by ? sql`email = ${by.email}` : sql`collaborator_id = ${by.id}`
  const { rows } = await sql<PersonRow>`
    select ${columns} from collaborators where ${match}`.execute(db)
  return rows[0]
}

/** In a transaction: codes are checked one after the other. */
export async function lockPerson({ db }: InstallDb, id: number): Promise<PersonRow | undefined> {
  const { rows } = await sql<PersonRow>`
    select ${columns} from collaborators where collaborator_id = ${id} for update`.execute(db)
  return rows[0]
}

interface NewPerson {
  readonly email: string
  readonly name: string
  readonly role?: CollaboratorRole | null
  readonly passwordHash?: string | null
  readonly createdAt: number
}

/** Undefined: the address is taken. */
export async function insertPerson(
  { db }: InstallDb,
  person: NewPerson,
): Promise<number | undefined> {
  const { email, name, role = null, passwordHash = null, createdAt } = person
  const { rows } = await sql<{ id: number }>`
    insert into collaborators (email, name, role, password_hash, created_at)
    values (${email}, ${name}, ${role}, ${passwordHash}, ${createdAt})
    on conflict (email) do nothing returning collaborator_id as id`.execute(db)
  return rows[0]?.id
}

export async function updatePerson(
  { db }: InstallDb,
  id: number,
  { name, role, passwordHash }: Partial<Pick<PersonRow, 'name' | 'role' | 'passwordHash'>>,
): Promise<void> {
  await sql`
    update collaborators set
      name = coalesce(${name ?? null}, name), role = coalesce(${role ?? null}, role),
      password_hash = coalesce(${passwordHash ?? null}, password_hash)
    where collaborator_id = ${id}`.execute(db)
}

/** With their sessions and their places in apps. */
export async function deletePerson({ db }: InstallDb, email: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from collaborators where email = ${email}`.execute(db)
  return numAffectedRows === 1n
}

export interface ListedPerson
  extends Pick<PersonRow, 'id' | 'email' | 'name' | 'role' | 'createdAt'> {
  readonly apps: Readonly<Record<string, CollaboratorRole>>
  readonly hasPassword: boolean
  readonly hasSecondFactor: boolean
}

export async function listPeople({ db }: InstallDb): Promise<ListedPerson[]> {
  const { rows } = await sql<ListedPerson>`
    select c.collaborator_id as id, c.email, c.name, c.role, c.created_at as "createdAt",
           c.password_hash is not null as "hasPassword",
           c.totp_confirmed_at is not null as "hasSecondFactor",
           coalesce((select jsonb_object_agg(a.app_id, a.role) from app_collaborators a
                     where a.collaborator_id = c.collaborator_id), '{}') as apps
    from collaborators c order by c.email`.execute(db)
  return rows
}

export interface MemberRow {
  readonly id: number
  readonly email: string
  readonly name: string
  readonly role: CollaboratorRole
  readonly createdAt: number
}

export async function listMembersOfApp({ appId, db }: AppDb): Promise<MemberRow[]> {
  const { rows } = await sql<MemberRow>`
    select c.collaborator_id as id, c.email, c.name, a.role, a.created_at as "createdAt"
    from app_collaborators a join collaborators c using (collaborator_id)
    where a.app_id = ${appId} order by c.email`.execute(db)
  return rows
}

export async function setRoleInApp(
  { appId, db }: AppDb,
  id: number,
  role: CollaboratorRole,
  now: number,
): Promise<void> {
  await sql`
    insert into app_collaborators (app_id, collaborator_id, role, created_at)
    values (${appId}, ${id}, ${role}, ${now})
    on conflict (app_id, collaborator_id) do update set role = excluded.role`.execute(db)
}

/** False: they were none. */
export async function removeFromApp({ appId, db }: AppDb, email: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from app_collaborators a using collaborators c
    where a.app_id = ${appId} and c.collaborator_id = a.collaborator_id
      and c.email = ${email}`.execute(db)
  return numAffectedRows === 1n
}

export interface SecondFactor {
  readonly encrypted: Buffer | null
  readonly confirmedAt: number | null
  readonly step: number
  readonly recoveryHashes: readonly Buffer[]
}

export async function setSecondFactor(
  { db }: InstallDb,
  id: number,
  { encrypted, confirmedAt, step, recoveryHashes }: SecondFactor,
): Promise<void> {
  await sql`
    update collaborators set totp_encrypted = ${encrypted}, totp_confirmed_at = ${confirmedAt},
      totp_step = ${step}, recovery_hashes = ${[...recoveryHashes]}::bytea[]
    where collaborator_id = ${id}`.execute(db)
}

/** Who came from the provider before, or was invited by this address; the subject is kept. */
export async function linkPerson(
  { db }: InstallDb,
  who: { readonly issuer: string; readonly subject: string; readonly email: string | undefined },
): Promise<PersonRow | undefined> {
  const { issuer, subject, email = null } = who
  const { rows } = await sql<PersonRow>`
    update collaborators set oidc_issuer = ${issuer}, oidc_subject = ${subject}
    where collaborator_id = (
      select collaborator_id from collaborators
      where (oidc_issuer = ${issuer} and oidc_subject = ${subject})
         or (oidc_subject is null and email = ${email})
      order by oidc_subject nulls last limit 1)
    returning ${columns}`.execute(db)
  return rows[0]
}

/** What the provider says now; a role that people here have given stays. */
export async function setProviderRole(
  { db }: InstallDb,
  id: number,
  role: CollaboratorRole | null,
): Promise<void> {
  await sql`
    update collaborators set role = ${role}, role_by_provider = ${role !== null}
    where collaborator_id = ${id} and (role is null or role_by_provider)`.execute(db)
}

export async function hasAnyRole({ db }: InstallDb, id: number): Promise<boolean> {
  const { rows } = await sql`
    select from collaborators c where collaborator_id = ${id} and (role is not null or exists (
      select from app_collaborators a where a.collaborator_id = c.collaborator_id))`.execute(db)
  return rows.length > 0
}
