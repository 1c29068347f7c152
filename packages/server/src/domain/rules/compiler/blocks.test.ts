import { restClient } from '@chorale/sdk'
import { afterAll, expect, test } from 'vitest'
import { startApart } from '../../../../../testing/src/processes/apart.ts'
import { createApp } from '../../../../../testing/src/service/bare-service.ts'

/** Of the processor, for all that one message makes the event loop do at once. */
const maxBlockedMs = 100

const service = await startApart(maxBlockedMs)
afterAll(() => service[Symbol.asyncDispose]())

async function openApp() {
  const keys = await createApp(service.origin, service.management)
  const client = restClient({
    baseUrl: `${service.origin}/v3`,
    appId: keys.appId,
    apiKey: keys.full,
  })
  for (const uid of ['ann', 'bea']) await client.createUser({ body: { uid, name: uid } })
  const say = (text: string) =>
    client.sendMessage({
      body: { receiver: 'bea', receiverType: 'user', data: { text } },
      onBehalfOf: 'ann',
    })
  return { ...client, say }
}

const letters = (count: number, unit: string) =>
  Array.from({ length: count }, (_, n) => unit.repeat(n + 1))
const ofTwo = (count: number) =>
  Array.from({ length: count }, (_, n) => 'ab'[(n * n + (n >> 3)) % 2]).join('')

/** As much as an app may have in force, chosen to be slow. */
const worst = [
  {
    name: 'words nested in each other, without blanks between them',
    category: 'word',
    terms: letters(50, '字'),
    times: 250,
    text: '字'.repeat(3300),
  },
  {
    name: 'words nested in each other, spaced out',
    category: 'word',
    terms: letters(88, 'a'),
    times: 250,
    text: 'a '.repeat(5000),
  },
  {
    name: 'many words',
    category: 'word',
    terms: Array.from({ length: 20_000 }, (_, n) => `w${n.toString(36)}`),
    times: 2,
    text: Array.from({ length: 1900 }, (_, n) => `w${n.toString(36)}`).join(' '),
  },
  {
    name: 'patterns that nothing in a text rules out',
    category: 'pattern',
    terms: Array.from({ length: 80 }, (_, n) => `[a${String.fromCodePoint(0x100 + n)}].{4}[!?]`),
    times: 1,
    text: ofTwo(10_000),
  },
] as const

test.each(worst)(
  'C2: $name block the event loop for 100 ms at no time',
  async (one) => {
    const { name, category, terms, times, text } = one
    const blocks: (readonly number[])[] = []
    // What blocks the event loop does so each time; the collection of garbage does not.
    for (let attempt = 1; attempt <= 3; attempt++) {
      const { createKeywordList, createRule, say } = await openApp()
      await service.blocks()
      await createKeywordList({ form: { id: 'worst', category, searchTerms: terms.join() } })
      const condition = {
        category,
        isKeywordReferencePresent: true,
        value: 'worst',
        disguises: true,
      }
      for (let left = times; left > 0; left -= 10) {
        const conditions = Array.from({ length: Math.min(left, 10) }, () => condition)
        await createRule({ body: { id: `worst-${left}`, conditions } })
      }
      for (let n = 0; n < 3; n++) {
        const { data } = await say(text)
        const status = 'data' in data ? data.data.moderation?.status : undefined
        expect(status).toBe(category === 'word' ? 'disapproved' : 'approved')
      }
      blocks.push(await service.blocks())
      if (blocks.at(-1)?.length === 0) return
    }
    expect(blocks, name).toEqual([])
  },
  240_000,
)
