import { sql } from 'kysely'
import { type AppDb, jsonb } from '../../../database/app-db.ts'
import type { UserPreferences } from './effective-preferences.ts'

export async function readChoices({ appId, db }: AppDb, uid: string): Promise<UserPreferences> {
  const { rows } = await sql<{ choices: UserPreferences }>`
    select choices from notification_preferences
    where app_id = ${appId} and uid = ${uid}`.execute(db)
  return rows[0]?.choices ?? {}
}

export async function mergeChoices(
  { appId, db }: AppDb,
  uid: string,
  choices: UserPreferences,
): Promise<void> {
  await sql`
    insert into notification_preferences as known (app_id, uid, choices)
    values (${appId}, ${uid}, ${jsonb(choices)})
    on conflict (app_id, uid) do update set choices = known.choices || excluded.choices
  `.execute(db)
}

export async function clearChoices({ appId, db }: AppDb, uid: string): Promise<void> {
  await sql`
    update notification_preferences set choices = '{}'
    where app_id = ${appId} and uid = ${uid}`.execute(db)
}
