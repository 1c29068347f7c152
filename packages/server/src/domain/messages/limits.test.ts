import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

// Many calls, and calls at the same moment: no shadow could follow.
const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
const { message } = app.given
await app.given.users('ann', 'bob', 'cyd')

/** The codes of what was refused; the rest went through. */
async function refusalsOf(calls: readonly Promise<unknown>[]): Promise<string[]> {
  const settled = await Promise.allSettled(calls)
  return settled.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
}

test('a message has at most 25 different reactions, of any number of users', async () => {
  const { id } = await message('ann', 'bob')
  const react = (onBehalfOf: string, reaction: string) =>
    full.addReaction({ params: { id, reaction }, onBehalfOf })
  const refused = await refusalsOf(Array.from({ length: 27 }, (_, n) => react('ann', `r${n}`)))
  expect(refused).toEqual(['ERR_BAD_REQUEST', 'ERR_BAD_REQUEST'])
  const { data } = await full.getMessage({ params: { id } })
  const [known] = data.data.reactions ?? []
  await react('bob', known?.reaction ?? '')
  await expect(react('bob', 'one more')).rejects.toMatchObject({
    details: { reaction: [expect.stringContaining('25')] },
  })
})

test('a conversation has at most 100 pins, and a user 100 saved messages', async () => {
  const pin = (id: string) => full.pinMessage({ params: { id } })
  const save = (id: string) => full.saveMessage({ params: { id }, onBehalfOf: 'bob' })
  for (let n = 0; n < 98; n++) {
    const { id } = await message('ann', 'bob')
    await Promise.all([pin(id), save(id)])
  }
  const more = await Promise.all([1, 2, 3, 4].map(() => message('ann', 'bob')))
  const ids = more.map(({ id }) => id)
  const refused = await Promise.all([refusalsOf(ids.map(pin)), refusalsOf(ids.map(save))])
  expect(refused).toEqual([
    Array(2).fill('ERR_PINNED_MESSAGES_LIMIT_EXCEEDED'),
    Array(2).fill('ERR_SAVED_MESSAGES_LIMIT_EXCEEDED'),
  ])
  for (const id of ids) {
    await full.unpinMessage({ params: { id } })
    await full.unsaveMessage({ params: { id }, onBehalfOf: 'bob' })
  }
  const [one = '', two = '', three = ''] = ids
  for (const id of [one, two]) await Promise.all([pin(id), save(id)])
  await full.deleteMessage({ params: { id: one } })
  await pin(three)
}, 60_000)

test('what happens to a message at the same moment waits in line, and all of it counts', async () => {
  const { id } = await message('ann', 'cyd')
  const params = { id }
  const rounds = [0, 1, 2, 3, 4].flatMap((n) => [
    full.addReaction({ params: { id, reaction: `r${n}` }, onBehalfOf: 'ann' }),
    full.addReaction({ params: { id, reaction: 'same' }, onBehalfOf: n % 2 ? 'ann' : 'cyd' }),
    full.editMessage({ params, body: { data: { text: `edit ${n}` } } }),
    full.pinMessage({ params }),
    full.replyToMessage({ params, onBehalfOf: 'cyd', body: { data: { text: `reply ${n}` } } }),
  ])
  expect(await refusalsOf(rounds)).toEqual([])
  const { data } = await full.getMessage({ params })
  expect(data).toMatchObject({ replyCount: 5, pinnedBy: 'app_system' })
  const counts = Object.fromEntries(
    (data.data.reactions ?? []).map(({ reaction, count }) => [reaction, count]),
  )
  expect(counts).toEqual({ r0: 1, r1: 1, r2: 1, r3: 1, r4: 1, same: 2 })
  const { rows } = await sql<{ deadlocks: number }>`
    select deadlocks from pg_stat_database where datname = current_database()`.execute(app.db)
  expect(rows).toEqual([{ deadlocks: 0 }])
})
