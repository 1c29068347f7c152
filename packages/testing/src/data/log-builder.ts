import type { Message } from '@chorale/contract/conversations'
import { sql } from 'kysely'
import type { AppDb } from '../../../server/src/database/app-db.ts'
import type { ConversationKey } from '../../../server/src/domain/log/entries/entries.ts'
import { appendEntries } from '../../../server/src/domain/log/log.sql.ts'
import { ensureUserConversation } from '../../../server/src/domain/log/participants/participants.sql.ts'
import type { TestApp } from '../service/test-app.ts'
import { messageOf } from './log-entries.ts'

interface Said {
  readonly from: string
  readonly text: string
  readonly muid?: string
  /** Unix seconds: when it was said, where the order of conversations matters. */
  readonly at?: number
}

type ToUser = Said & { readonly to: string }
type ToGroup = Said & { readonly group: string }

/**
 * Puts a message into a log past the API, in every app of the install that has both sides: the app
 * and its shadow. Returns it as the API shows it to its sender, so that the shadow learns its id.
 */
export async function say(app: TestApp, said: ToUser | ToGroup): Promise<Message> {
  const at = said.at ?? Math.floor(Date.now() / 1000)
  for (const appId of await appsWith(app, said)) {
    const conversation = await conversationOf({ appId, db: app.db }, said, at)
    const data = JSON.stringify({ text: said.text })
    const entry = messageOf({ appId, ...conversation }, said.from, { data, muid: said.muid })
    await appendEntries(app.db, [entry], at)
  }
  const { getGroupConversation, getUserConversation } = app.as('full')
  const { data } =
    'group' in said
      ? await getGroupConversation({ params: { guid: said.group }, onBehalfOf: said.from })
      : await getUserConversation({ params: { uid: said.to }, onBehalfOf: said.from })
  const message = data[0]?.lastMessage
  if (!message) throw new Error('Nobody can read what was said: is the sender a member?')
  return message
}

async function appsWith({ db }: TestApp, said: ToUser | ToGroup): Promise<string[]> {
  const other =
    'group' in said
      ? sql`exists (select from groups g where g.app_id = u.app_id and g.guid = ${said.group})`
      : sql`exists (select from users o where o.app_id = u.app_id and o.uid = ${said.to})`
  const { rows } = await sql<{ appId: string }>`
    select u.app_id as "appId" from users u where u.uid = ${said.from} and ${other}`.execute(db)
  return rows.map(({ appId }) => appId)
}

async function conversationOf(
  appDb: AppDb,
  said: ToUser | ToGroup,
  at: number,
): Promise<ConversationKey> {
  if ('to' in said) return ensureUserConversation(appDb, said.from, said.to, at)
  const { rows } = await sql<ConversationKey>`
    select bucket, conversation_key as key from groups
    where app_id = ${appDb.appId} and guid = ${said.group}`.execute(appDb.db)
  const [found] = rows
  if (!found) throw new Error(`There is no group ${said.group}.`)
  return found
}
