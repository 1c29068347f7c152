import { sql } from 'kysely'
import type { InstallDb } from '../../database/app-db.ts'

export async function insertManagementKey(
  { db }: InstallDb,
  row: { key: string; secretHash: Buffer; name: string; now: number },
): Promise<void> {
  await sql`
    insert into management_keys (key, secret_hash, name, created_at)
    values (${row.key}, ${row.secretHash}, ${row.name}, ${row.now})`.execute(db)
}
