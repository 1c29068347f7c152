import { afterAll, describe, expect, test } from 'vitest'
import { signedIn } from '../../../../testing/src/service/console.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

let now = 1_800_000_000
const app = await startTestApp({ shadow: false, clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
const { appId, given } = app
await given.users('ann', 'bob')
await full.createRule({
  body: { id: 'odd', action: ['flagMessage'], conditions: [{ value: 'odd' }] },
})
const moderator = async () => (await signedIn(app, { [appId]: 'moderator' }, now)).calls(appId)
const [ada, bea] = [await moderator(), await moderator()]

async function flagged(text: string): Promise<string> {
  const { id } = await given.message('ann', 'bob', { receiverType: 'user', data: { text } })
  await full.flagMessage({ params: { id }, onBehalfOf: 'bob', body: { reasonId: 'spam' } })
  return id
}

const idsOf = ({ data }: { data: readonly { messageId: string }[] }) =>
  data.map(({ messageId }) => messageId)
const decide = (who: typeof ada, id: string, status: 'approved' | 'disapproved') =>
  who.reviewFlaggedMessage({ params: { id }, body: { status } })
const claimed = { code: 'ERR_CASE_CLAIMED', status: 409 }

describe('messages that wait', () => {
  test('are held by one moderator at a time, with all that they need', async () => {
    const [first = '', second = '', third = ''] = [
      await flagged('one'),
      await flagged('two'),
      await flagged('three'),
    ]
    const mine = await ada.claimMessages({ body: { limit: 2 } })
    expect(idsOf(mine)).toEqual([first, second])
    expect(mine.meta).toEqual({ open: 3, heldByOthers: 0 })
    expect(mine.data[0]).toMatchObject({
      kind: 'flagged',
      status: 'open',
      message: { sender: 'ann', data: { text: 'one' } },
      flaggedBy: [{ uid: 'bob', reasonName: 'Spam' }],
      claimedUntil: now + 120,
    })
    const theirs = await bea.claimMessages({ body: {} })
    expect([idsOf(theirs), theirs.meta]).toEqual([[third], { open: 3, heldByOthers: 2 }])
    await expect(decide(bea, first, 'approved')).rejects.toMatchObject(claimed)
    // Renewed, and more if there is any.
    expect(idsOf(await ada.claimMessages({ body: {} }))).toEqual([first, second])
    await decide(ada, first, 'approved')
    // It is decided: nobody decides it once more by mistake.
    await expect(decide(bea, first, 'disapproved')).rejects.toMatchObject(claimed)
    await decide(ada, first, 'disapproved')
    await ada.releaseMessages({ body: {} })
    await decide(bea, second, 'approved')
    await decide(bea, third, 'approved')
    expect((await ada.claimMessages({ body: {} })).meta.open).toBe(0)
  })

  test('are free again when the time is over, and whoever comes back late is refused', async () => {
    const id = await flagged('late')
    expect(idsOf(await ada.claimMessages({ body: {} }))).toEqual([id])
    now += 121
    expect(idsOf(await bea.claimMessages({ body: {} }))).toEqual([id])
    await expect(decide(ada, id, 'approved')).rejects.toMatchObject(claimed)
    await decide(bea, id, 'disapproved')
    await expect(decide(ada, id, 'approved')).rejects.toMatchObject(claimed)
    // On purpose, one can.
    expect(idsOf(await ada.claimMessages({ body: { messageIds: [id] } }))).toEqual([id])
    await decide(ada, id, 'approved')
  })

  test('that rules have blocked are held as well, whichever way a decision comes', async () => {
    await full.createRule({
      body: { id: 'spam', action: ['blockMessage'], conditions: [{ value: 'spam' }] },
    })
    const { id } = await given.message('ann', 'bob', { data: { text: 'nothing' } })
    const body = { data: { text: 'spam after all' } }
    await full.editMessage({ params: { id }, onBehalfOf: 'ann', body })
    expect(idsOf(await ada.claimMessages({ body: {} }))).toEqual([id])
    const approved = { body: { status: 'approved' } } as const
    const inQueue = bea.reviewBlockedMessage({ params: { messageId: id }, ...approved })
    await expect(inQueue).rejects.toMatchObject(claimed)
    const ofApp = bea.reviewBlockedMessageOfApp({ params: { appId, messageId: id }, ...approved })
    await expect(ofApp).rejects.toMatchObject(claimed)
    await ada.reviewBlockedMessage({ params: { messageId: id }, body: { status: 'disapproved' } })
  })

  test('come to the server of an app under the names that it gives', async () => {
    const id = await flagged('by a key')
    const as = (name: string) => full.claimMessages({ body: { moderator: name } })
    expect(idsOf(await as('mo'))).toEqual([id])
    expect(idsOf(await as('jo'))).toEqual([])
    await full.releaseMessages({ body: { moderator: 'mo' } })
    expect(idsOf(await as('jo'))).toEqual([id])
    await decide(full, id, 'approved')
  })
})

test('twenty who claim and decide at once decide each message once', async () => {
  const wanted = []
  for (let i = 0; i < 30; i++) wanted.push(await flagged(`storm ${i}`))
  const people = await Promise.all(Array.from({ length: 20 }, moderator))
  const work = async (who: typeof ada): Promise<string[]> => {
    const done: string[] = []
    for (;;) {
      const ids = idsOf(await who.claimMessages({ body: { limit: 3 } }))
      if (ids.length === 0) return done
      for (const id of ids) {
        await decide(who, id, 'approved')
        done.push(id)
      }
    }
  }
  const decided = (await Promise.all(people.map(work))).flat()
  expect(decided.toSorted()).toEqual(wanted.toSorted())
})
