import type { ContactDetails } from '@chorale/contract/notifications'
import { sql } from 'kysely'
import type { AppDb } from '../../../database/app-db.ts'

interface ContactRow {
  readonly email: string | null
  readonly phno: string | null
}

export async function findContactDetails({ appId, db }: AppDb, uid: string) {
  const { rows } = await sql<ContactRow>`
    select email, phno from contact_details
    where app_id = ${appId} and uid = ${uid}`.execute(db)
  return rows[0]
}

/** What is left out stays as it was. */
export async function writeContactDetails(
  { appId, db }: AppDb,
  uid: string,
  { email, phno }: ContactDetails,
  now: number,
): Promise<void> {
  await sql`
    insert into contact_details as c (app_id, uid, email, phno, updated_at)
    values (${appId}, ${uid}, ${email ?? null}, ${phno ?? null}, ${now})
    on conflict (app_id, uid) do update
    set email = coalesce(excluded.email, c.email), phno = coalesce(excluded.phno, c.phno),
        updated_at = excluded.updated_at`.execute(db)
}

export async function deleteContactDetails({ appId, db }: AppDb, uid: string): Promise<void> {
  await sql`delete from contact_details where app_id = ${appId} and uid = ${uid}`.execute(db)
}
