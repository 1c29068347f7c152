import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
await app.given.users('ann', 'bob', 'cid')
await app.given.group('tea', { owner: 'ann', members: { participants: ['bob', 'cid'] } })

const say = (from: string, text: string) =>
  app.given.message(from, 'tea', { receiverType: 'group', data: { text } })
const edit = (id: string, onBehalfOf: string, text: string) =>
  full.editMessage({ params: { id }, onBehalfOf, body: { data: { text } } })

async function tracesOf(id: string): Promise<string[]> {
  const tables = ['entry_edits', 'reactions', 'pins', 'saves']
  const found = await Promise.all(
    tables.map((table) =>
      sql`
        select from ${sql.table(table)} t join entries e using (bucket, conversation_key, seq)
        where e.id = ${id}`.execute(app.db),
    ),
  )
  return tables.filter((_, place) => (found[place]?.rows.length ?? 0) > 0)
}

test('a message that a moderator withholds keeps no edits, reactions, pins and saves', async () => {
  const { id } = await say('ann', 'much liked')
  await edit(id, 'ann', 'much loved')
  await full.addReaction({ params: { id, reaction: '👍' }, onBehalfOf: 'bob' })
  await full.pinMessage({ params: { id }, onBehalfOf: 'ann' })
  await full.saveMessage({ params: { id }, onBehalfOf: 'cid' })
  expect(await tracesOf(id)).toEqual(['entry_edits', 'reactions', 'pins', 'saves'])
  await full.flagMessage({ params: { id }, onBehalfOf: 'bob', body: { reasonId: 'spam' } })
  await full.reviewFlaggedMessage({ params: { id }, body: { status: 'disapproved' } })
  expect(await tracesOf(id)).toEqual([])
  const { data: own } = await full.getMessage({ onBehalfOf: 'ann', params: { id } })
  expect(own).not.toHaveProperty('pinnedAt')
  expect(own.data).not.toHaveProperty('reactions')
})

test('what an owner makes of the words of others is not stored, if a rule blocks it', async () => {
  await full.createRule({ body: { id: 'no-spam', conditions: [{ value: 'spam' }] } })
  const { id } = await say('bob', 'harmless')
  const read = () => full.getMessage({ onBehalfOf: 'cid', params: { id } })
  await edit(id, 'ann', 'still harmless')
  expect((await read()).data.data).toMatchObject({ text: 'still harmless' })
  await expect(edit(id, 'ann', 'spam in the name of bob')).rejects.toMatchObject({
    code: 'ERR_MESSAGE_ID_NOT_FOUND',
  })
  expect((await read()).data.data).toMatchObject({ text: 'still harmless' })
})

test('a blocked message is stored as one that raises no unread count', async () => {
  const unread = async () => {
    const query = { conversationType: 'group' } as const
    const { data } = await full.listConversations({ onBehalfOf: 'cid', query })
    return Number(data[0]?.unreadMessageCount)
  }
  await say('ann', 'before')
  const before = await unread()
  const { id } = await say('ann', 'spam that nobody counts')
  const { rows } = await sql`
    select e.counts, c.counted - e.counted as since
    from entries e join conversations c using (bucket, conversation_key)
    where e.id = ${id}`.execute(app.db)
  expect(rows).toEqual([{ counts: false, since: 0 }])
  expect(await unread()).toBe(before)
})
