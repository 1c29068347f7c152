import type { Api } from '@chorale/contract/api'
import type { Client } from '@chorale/contract/operation'
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { TestApp } from '../service/test-app.ts'
import type { Letter } from './letters.ts'
import type { Logged, Logs, View } from './verdict.ts'

/** A letter with the id in every answer. */
export interface Posted extends Letter {
  readonly ids: readonly number[]
}

/** Every log of the app, as the tables have it. */
export async function logsOf({ appId, db }: Pick<TestApp, 'appId' | 'db'>): Promise<Logs> {
  const { rows } = await sql<Logged & { conversation: string }>`
    select coalesce('group_' || g.guid, u.low_uid || '_user_' || u.high_uid) as conversation,
           e.seq, e.id, e.sender, e.category, e.muid
    from entries e
    left join groups g on g.app_id = e.app_id and g.bucket = e.bucket
      and g.conversation_key = e.conversation_key
    left join user_conversations u on u.app_id = e.app_id and u.bucket = e.bucket
      and u.conversation_key = e.conversation_key
    where e.app_id = ${appId} order by e.bucket, e.conversation_key, e.seq`.execute(db)
  return Map.groupBy(rows, ({ conversation }) => conversation)
}

/** Both sides find it under its id, and it says what was sent. */
export async function getAsPosted(client: Client<Api>, posted: Posted): Promise<void> {
  const { sender, receiver, receiverType, conversation, muid, ids } = posted
  const id = String(ids[0])
  for (const onBehalfOf of receiverType === 'user' ? [sender, receiver] : [sender]) {
    const { data } = await client.getMessage({ params: { id }, onBehalfOf })
    expect(data).toMatchObject({
      id,
      muid,
      sender,
      receiver,
      conversationId: conversation,
      data: { text: `${sender} ${muid}` },
    })
  }
}

/** A conversation from its first entry to its last, page by page, as this user is shown it. */
export async function viewOf(
  client: Client<Api>,
  conversation: string,
  reader: string,
): Promise<View> {
  const ids: number[] = []
  for (let id: string | undefined = '1'; id !== undefined; ) {
    const query = { conversationId: conversation, affix: 'append', id, limit: 200 } as const
    const page = await client.listMessages({ query, onBehalfOf: reader })
    ids.push(...page.data.map((row) => ('id' in row ? Number(row.id) : Number.NaN)))
    id = page.meta.next?.id
  }
  return { conversation, reader, ids }
}
