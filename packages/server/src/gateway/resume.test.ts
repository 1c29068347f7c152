import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Device } from '../../../testing/src/service/device.ts'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'

const fixture = await startRealtimeFixture()
afterAll(() => fixture[Symbol.asyncDispose]())
const { app, full, device, say, sayIn } = fixture

/** Goes away, and says where it was. */
async function goes(from: Device) {
  await from[Symbol.asyncDispose]()
  return { positions: from.positions() }
}

describe('a device that was away', () => {
  beforeAll(() => app.given.users('ann', 'bob', 'cid'))

  test('hears what it missed, in order, and goes on', async () => {
    await say('ann', 'bob', '1')
    const before = await device('bob')
    await say('ann', 'bob', '2')
    await expect.poll(() => before.texts()).toEqual(['2'])
    const where = await goes(before)
    await say('ann', 'bob', '3')
    await say('cid', 'bob', 'new')
    await say('ann', 'bob', '4')
    const after = await device('bob', where)
    await say('ann', 'bob', '5')
    await expect.poll(() => after.texts()).toEqual(['3', '4', '5'])
    const welcome = await after.next('welcome')
    expect(welcome.positions).toEqual({
      ann_user_bob: { seq: 4, change: 0 },
      bob_user_cid: { seq: 1, change: 0 },
    })
    expect(after.positions().ann_user_bob).toEqual({ seq: 5, change: 0 })
    // It could not know of this one.
    expect(after.of('reload')).toMatchObject([{ conversationId: 'bob_user_cid' }])
  })

  test('hears of edits and deletions of what it had seen, each once', async () => {
    await app.given.users('eda', 'edo')
    const ids = [
      await say('eda', 'edo', 'a'),
      await say('eda', 'edo', 'b'),
      await say('eda', 'edo', 'c'),
    ]
    const where = await goes(await device('edo'))
    const [a = '', b = '', c = ''] = ids
    const edit = (id: string, text: string) =>
      full.editMessage({ params: { id }, onBehalfOf: 'eda', body: { data: { text } } })
    await edit(a, 'A')
    await edit(c, 'C')
    await edit(a, 'AA')
    await full.deleteMessage({ params: { id: b }, onBehalfOf: 'eda' })
    const late = await say('eda', 'edo', 'd')
    await edit(late, 'D')
    const after = await device('edo', where)
    await say('eda', 'edo', 'end')
    await expect.poll(() => after.texts().at(-1)).toBe('end')
    const changed = after.of('changed')
    expect(changed.map(({ message }) => message.id)).toEqual([c, a, b])
    expect(changed.map(({ change }) => change)).toEqual([2, 3, 4])
    expect(changed[1]?.message.data).toMatchObject({ text: 'AA' })
    expect(after.texts().filter(Boolean)).toEqual(['D', 'end'])
    expect(after.of('message').map(({ seq }) => seq)).toEqual([4, 5, 6, 7, 8, 9, 10])
    const again = await device('edo', await goes(after))
    await say('eda', 'edo', 'more')
    await expect.poll(() => again.texts()).toEqual(['more'])
    expect(again.of('changed')).toEqual([])
  })

  test('is told to read anew where it missed too much', async () => {
    await app.given.users('max', 'mia')
    await app.given.group('busy', { owner: 'max', members: { participants: ['mia'] } })
    const where = await goes(await device('mia'))
    await Promise.all(Array.from({ length: 501 }, (_, n) => sayIn('busy', 'max', `${n}`)))
    const after = await device('mia', where)
    expect(await after.next('reload')).toEqual({
      type: 'reload',
      conversationId: 'group_busy',
      position: { seq: 502, change: 0 },
    })
    await sayIn('busy', 'max', 'live')
    await expect.poll(() => after.texts()).toEqual(['live'])
  })

  test.each([
    ['seq', { seq: 1000, change: 0 }],
    ['change', { seq: 1, change: 1000 }],
  ])('is told to read anew where its %s is ahead of the log', async (kind, position) => {
    const [from, to] = [`fa-${kind}`, `fb-${kind}`]
    await app.given.users(from, to)
    await say(from, to, '1')
    const label = Object.keys((await device(to)).positions())[0] ?? ''
    const after = await device(to, { positions: { [label]: position } })
    expect(await after.next('reload')).toMatchObject({
      conversationId: label,
      position: { seq: 1, change: 0 },
    })
    await say(from, to, '2')
    await expect.poll(() => after.texts()).toEqual(['2'])
  })

  test('is told that a conversation is not its own any more', async () => {
    await app.given.users('kim', 'kai')
    await app.given.group('kicks', { owner: 'kim', members: { participants: ['kai'] } })
    const where = await goes(await device('kai'))
    await full.kickMember({ params: { guid: 'kicks', uid: 'kai' } })
    await sayIn('kicks', 'kim', 'secret')
    const after = await device('kai', where)
    expect(await after.next('left')).toMatchObject({ conversationId: 'group_kicks' })
    expect(after.of('message')).toEqual([])
  })

  test('hears nothing of what was hidden from it meanwhile', async () => {
    await app.given.users('rae', 'ron')
    await say('rae', 'ron', '1')
    const where = await goes(await device('ron'))
    await say('rae', 'ron', 'hidden')
    await full.resetUserConversation({ params: { uid: 'rae' }, onBehalfOf: 'ron' })
    await say('rae', 'ron', '3')
    const after = await device('ron', where)
    await expect.poll(() => after.texts()).toEqual(['3'])
  })

  test('misses nothing and hears nothing twice, however often it comes and goes in a storm', async () => {
    await app.given.users('sam', 'sue')
    await say('sam', 'sue', '0')
    const total = 200
    const storm = (async () => {
      for (let n = 1; n <= total; n += 4) {
        await Promise.all([0, 1, 2, 3].map((m) => say('sam', 'sue', `${n + m}`)))
      }
    })()
    let where = { positions: { sam_user_sue: { seq: 1, change: 0 } } }
    const seqs: number[] = []
    while (seqs.length < total) {
      const one = await device('sue', where)
      const wanted = Math.min(seqs.length + 3, total)
      await expect.poll(() => seqs.length + one.of('message').length).toBeGreaterThanOrEqual(wanted)
      where = { positions: { ...where.positions, ...(await goes(one)).positions } }
      seqs.push(...one.of('message').map(({ seq }) => seq))
    }
    await storm
    expect(seqs).toEqual(Array.from({ length: total }, (_, n) => n + 2))
  })
})
