import type { Issuer } from '@chorale/contract/users'
import { sql } from 'kysely'
import { type AppDb, jsonb } from '../../../database/app-db.ts'
import type { PageRequest } from '../../../database/keyset.ts'

/** What a JWT must hold, and what its claims mean. */
export type IssuerSettings = Omit<
  Issuer,
  'id' | 'issuer' | 'jwksUrl' | 'enabled' | 'createdAt' | 'updatedAt'
>

export interface NewIssuer {
  readonly id: string
  readonly issuer: string
  readonly jwksUrl: string
  readonly settings: IssuerSettings
  readonly enabled: boolean
}

export interface IssuerRow extends NewIssuer {
  /** Changes with every change of the row. */
  readonly version: number
  readonly createdAt: number
  readonly updatedAt: number
}

const columns = sql`
  issuer_id as id, issuer, jwks_url as "jwksUrl", settings, enabled, version,
  created_at as "createdAt", updated_at as "updatedAt"`

/** Undefined: the id or the name is taken. */
export async function insertIssuer(
  { appId, db }: AppDb,
  row: NewIssuer,
  now: number,
): Promise<IssuerRow | undefined> {
  const { rows } = await sql<IssuerRow>`
    insert into issuers (app_id, issuer_id, issuer, jwks_url, settings, enabled, created_at, updated_at)
    values (${appId}, ${row.id}, ${row.issuer}, ${row.jwksUrl}, ${jsonb(row.settings)}, ${row.enabled},
            ${now}, ${now})
    on conflict do nothing
    returning ${columns}`.execute(db)
  return rows[0]
}

export async function listIssuers(
  { appId, db }: AppDb,
  { page, perPage }: PageRequest,
): Promise<IssuerRow[]> {
  const { rows } = await sql<IssuerRow>`
    select ${columns} from issuers where app_id = ${appId}
    order by issuer_id limit ${perPage} offset ${(page - 1) * perPage}`.execute(db)
  return rows
}

export async function countIssuers({ appId, db }: AppDb): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from issuers where app_id = ${appId}`.execute(db)
  return rows[0]?.n ?? 0
}

export async function findIssuer({ appId, db }: AppDb, id: string): Promise<IssuerRow | undefined> {
  const { rows } = await sql<IssuerRow>`
    select ${columns} from issuers where app_id = ${appId} and issuer_id = ${id}`.execute(db)
  return rows[0]
}

/** Whom the claim `iss` names, among those that are switched on. */
export async function findIssuerByName(
  { appId, db }: AppDb,
  issuer: string,
): Promise<IssuerRow | undefined> {
  const { rows } = await sql<IssuerRow>`
    select ${columns} from issuers
    where app_id = ${appId} and issuer = ${issuer} and enabled`.execute(db)
  return rows[0]
}

export async function isIssuerTaken(
  { appId, db }: AppDb,
  { id, issuer }: { readonly id: string; readonly issuer: string },
): Promise<boolean> {
  const { rows } = await sql`
    select from issuers
    where app_id = ${appId} and issuer = ${issuer} and issuer_id <> ${id}`.execute(db)
  return rows.length > 0
}

export async function updateIssuer(
  { appId, db }: AppDb,
  row: NewIssuer,
  now: number,
): Promise<IssuerRow | undefined> {
  const { rows } = await sql<IssuerRow>`
    update issuers
    set issuer = ${row.issuer}, jwks_url = ${row.jwksUrl}, settings = ${jsonb(row.settings)},
        enabled = ${row.enabled}, version = default, updated_at = ${now}
    where app_id = ${appId} and issuer_id = ${row.id}
    returning ${columns}`.execute(db)
  return rows[0]
}

export async function deleteIssuer({ appId, db }: AppDb, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from issuers where app_id = ${appId} and issuer_id = ${id}`.execute(db)
  return numAffectedRows === 1n
}
