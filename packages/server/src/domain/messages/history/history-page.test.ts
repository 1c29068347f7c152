import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'
import { findEntry } from '../../log/log.sql.ts'
import { findUserConversation } from '../../log/participants/index.ts'
import { findPages } from './history-page.sql.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const { db, appId } = app
const { sendMessage, editMessage, deleteMessage, addReaction } = app.as('full')
await app.given.users('ann', 'bob')

/** What would break a text whose fields are put behind each other. */
const odd = ['\u001f', '\u001e', '\\', '"', '\\u001f', '\n\t', '', 'ü 漢 🙂', '\u2028', ' ', "{'}"]

async function say(text: string, more: object = {}): Promise<string> {
  const body = { receiver: 'bob', receiverType: 'user', data: { text }, ...more } as const
  const { data } = await sendMessage({ onBehalfOf: 'ann', body })
  if (!('id' in data)) throw new Error('Several answers.')
  return data.id
}

test('a page is the stored rows, whatever stands in them', async () => {
  for (const text of odd) {
    await say('', {
      muid: `muid ${text}`,
      category: 'custom',
      type: `type ${text}`,
      data: { customData: { [text]: text, numbers: [1.5, 1e15, -0.001] } },
      tags: [`tag ${text}`],
    })
  }
  await say('without a muid')
  const edited = await say('edited')
  await editMessage({ params: { id: edited }, onBehalfOf: 'ann', body: { data: { text: 'so' } } })
  const deleted = await say('deleted')
  await deleteMessage({ params: { id: deleted }, onBehalfOf: 'ann' })
  const liked = await say('liked')
  await addReaction({ params: { id: liked, reaction: '👍' }, onBehalfOf: 'bob' })
  const place = await findUserConversation({ appId, db }, 'ann', 'bob')
  if (!place) throw new Error('They have not spoken.')

  const question = { appId, ...place, after: 0, before: 1000, limit: 100, own: undefined }
  const [forth = [], back = []] = await findPages(db, [
    { ...question, direction: 'append' },
    { ...question, direction: 'prepend' },
  ])
  const rows = await Promise.all(forth.map(({ seq }) => findEntry({ appId, db }, place, seq)))
  expect(forth).toEqual(rows)
  expect(forth.map(({ seq }) => seq)).toEqual(forth.map((_, nth) => nth + 1))
  expect(back).toEqual(rows.toReversed())
  const muids = forth.flatMap(({ muid }) => muid ?? [])
  expect(muids).toEqual(odd.map((text) => `muid ${text}`))
})
