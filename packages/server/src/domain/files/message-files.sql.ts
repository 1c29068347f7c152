import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import type { ConversationKey } from '../../outbox/committed.ts'
import type { AppendAddition } from '../log/index.ts'

type Place = ConversationKey & { readonly seq: number }

/** Which files a new message names; also one that is withheld. */
export const messageFiles: AppendAddition = {
  name: 'message_files',
  field: 'namesFiles',
  insert: `
    insert into message_files (bucket, conversation_key, seq, app_id, file_id)
    select bucket, key, seq, app_id, (f ->> 'id')::uuid
    from appended cross join lateral jsonb_array_elements(
      coalesce(extra -> 'files', verdict #> '{sealed,extra,files}')) f
    on conflict do nothing`,
}

/** An edit names them as well. */
export async function nameFiles(
  { appId, db }: AppDb,
  { bucket, key, seq }: Place,
  fileIds: readonly string[],
): Promise<void> {
  if (fileIds.length === 0) return
  await sql`
    insert into message_files (bucket, conversation_key, seq, app_id, file_id)
    select ${bucket}, ${key}, ${seq}, ${appId}, id from unnest(${fileIds}::uuid[]) as id
    on conflict do nothing`.execute(db)
}

/** What was withheld is said anew, at another place. */
export async function moveFiles(
  { appId, db }: AppDb,
  { bucket, key, seq }: Place,
  to: number,
): Promise<void> {
  await sql`
    update message_files set seq = ${to}
    where bucket = ${bucket} and conversation_key = ${key} and seq = ${seq}
      and app_id = ${appId}`.execute(db)
}

/** Messages from elsewhere, with each file that they name. */
export async function nameImported(
  { appId, db }: AppDb,
  named: readonly (Place & { readonly fileId: string })[],
): Promise<void> {
  if (named.length === 0) return
  await sql`
    insert into message_files (bucket, conversation_key, seq, app_id, file_id)
    select n.bucket, n.key, n.seq, ${appId}, n.file_id
    from unnest(${named.map(({ bucket }) => bucket)}::smallint[],
                ${named.map(({ key }) => key)}::bigint[], ${named.map(({ seq }) => seq)}::bigint[],
                ${named.map(({ fileId }) => fileId)}::uuid[]) as n(bucket, key, seq, file_id)
    on conflict do nothing`.execute(db)
}
