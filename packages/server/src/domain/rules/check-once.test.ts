import { afterAll, expect, test, vi } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { RuleSet } from './engine/rule-set.ts'

// Calls are counted, and a shadow would make them too.
const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const { createRule, sendMessage } = app.as('full')

test('C2: a message is examined once, however many receivers it has', async () => {
  const uids = Array.from({ length: 25 }, (_, n) => `user-${n}`)
  await app.given.users('ann', ...uids)
  await createRule({
    body: {
      conditions: [{ value: 'spam' }],
      filters: [
        { type: 'receiver', entity: 'user', operand: 'uid', operator: 'equals', value: 'user-3' },
      ],
      id: 'for-one',
    },
  })
  const examine = vi.spyOn(RuleSet.prototype, 'examine')
  const body = { multipleReceivers: { uids }, data: { text: 'spam' } }
  const { data } = await sendMessage({ body, onBehalfOf: 'ann' })
  expect(examine).toHaveBeenCalledTimes(1)
  if (!('uids' in data)) throw new Error('An outcome for each receiver was expected.')
  // Filters are looked at for each receiver all the same.
  const statuses = Object.entries(data.uids ?? {}).map(([uid, outcome]) => [
    uid,
    'data' in outcome ? outcome.data.moderation?.status : undefined,
  ])
  expect(statuses.filter(([, status]) => status === 'disapproved')).toEqual([
    ['user-3', 'disapproved'],
  ])
  expect(statuses.filter(([, status]) => status === 'approved')).toHaveLength(24)
  // The next one is another message, even if it says the same.
  await sendMessage({ body, onBehalfOf: 'ann' })
  expect(examine).toHaveBeenCalledTimes(2)
})
