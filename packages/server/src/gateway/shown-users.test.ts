import { afterAll, expect, test } from 'vitest'
import type { Device } from '../../../testing/src/service/device.ts'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'

const fixture = await startRealtimeFixture()
afterAll(() => fixture[Symbol.asyncDispose]())
const { app, full, device, say, sayIn } = fixture

/** The last message, as the device was shown it. */
async function heard(by: Device, id: string) {
  await expect.poll(() => by.of('message').at(-1)?.message.id).toBe(id)
  return by.of('message').at(-1)?.message.data
}

async function read(id: string, onBehalfOf: string) {
  const { data } = await full.getMessage({ params: { id }, onBehalfOf })
  return 'data' in data ? data.data : undefined
}

test('both sides are shown each other as over REST, in the first message and in those after it', async () => {
  await app.given.user('ann', { metadata: { open: 1, '@private': { secret: 1 } } })
  await app.given.user('bob', { metadata: { '@private': { secret: 2 } } })
  const sides = { ann: await device('ann'), bob: await device('bob') }
  const statusOf = async (uid: string) => (await full.getUser({ params: { uid } })).data.status
  for (const uid of ['ann', 'bob']) await expect.poll(() => statusOf(uid)).toBe('available')
  for (const text of ['1', '2', '3']) {
    const id = await say('ann', 'bob', text)
    for (const [uid, one] of Object.entries(sides)) {
      expect(await heard(one, id)).toEqual(await read(id, uid))
    }
  }
})

test('a change of the sender, the receiver or the group shows in the next message', async () => {
  await app.given.users('cia', 'cal')
  await app.given.group('club', { owner: 'cia', members: { participants: ['cal'] } })
  const cal = await device('cal')
  for (const text of ['1', '2']) {
    await say('cia', 'cal', text)
    await sayIn('club', 'cia', text)
  }
  await full.updateUser({ params: { uid: 'cia' }, body: { name: 'Cia II' } })
  await full.updateUser({ params: { uid: 'cal' }, body: { name: 'Cal II' } })
  await full.updateGroup({ params: { guid: 'club' }, body: { name: 'Club II' } })
  expect(await heard(cal, await say('cia', 'cal', '3'))).toMatchObject({
    entities: { sender: { entity: { name: 'Cia II' } }, receiver: { entity: { name: 'Cal II' } } },
  })
  expect(await heard(cal, await sayIn('club', 'cia', '3'))).toMatchObject({
    entities: { sender: { entity: { name: 'Cia II' } }, receiver: { entity: { name: 'Club II' } } },
  })
})

test('who has come or gone since the last message is shown so', async () => {
  await app.given.users('dan', 'dee')
  const dee = await device('dee')
  const statusOfDan = async () => {
    const message = await heard(dee, await say('dan', 'dee', 'here?'))
    return message?.entities?.sender?.entity
  }
  for (let warm = 0; warm < 2; warm++)
    expect(await statusOfDan()).toMatchObject({ status: 'offline' })
  await device('dan')
  await expect.poll(statusOfDan).toMatchObject({ status: 'available' })
})
