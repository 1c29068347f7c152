import sharp from 'sharp'
import { afterAll, describe, expect, test } from 'vitest'
import { payload, withPosition } from '../../../../testing/src/files/bad-files.ts'
import { bring } from '../../../../testing/src/files/bring.ts'
import { answer, type Behaviour, type Received } from '../../../../testing/src/network/receiver.ts'
import {
  opinion,
  quick,
  startClassifierFixture,
} from '../../../../testing/src/rules/classifier-fixture.ts'

const wait = { timeout: 60_000, interval: 50 }
const checked = { FILES_CHECK: 'on', FILES_CHECK_PROCESSES: '1' }
const fixture = await startClassifierFixture({ ...quick, ...checked })
afterAll(() => fixture[Symbol.asyncDispose]())
const { app, full, seenBy } = fixture
await app.given.users('ann', 'bob')

const photo = await withPosition(
  sharp({ create: { width: 1600, height: 900, channels: 3, background: '#6ea53b' } }),
)
  .jpeg()
  .toBuffer()
const page = Buffer.from('<html><script>alert(1)</script></html>')

type More = NonNullable<Parameters<typeof fixture.classifier>[1]>

/** A group of its own, in which alone a classifier looks at pictures. */
async function room(guid: string, more: More = {}) {
  await app.given.group(guid, { owner: 'ann', members: { participants: ['bob'] } })
  const category = more.openAi ? 'openai' : 'customApi'
  const asked = await fixture.classifier(guid, {
    ...more,
    rule: {
      filters: [
        { type: 'receiver', entity: 'group', operand: 'guid', operator: 'equals', value: guid },
      ],
      conditions: [{ operand: 'image', category, value: guid, isKeywordReferencePresent: true }],
      ...more.rule,
    },
  })
  const send = (uploadId: string, how: object = { type: 'image' }, text = 'look') =>
    app.given.message('ann', guid, {
      receiverType: 'group',
      ...how,
      data: { text, attachments: [{ uploadId }] },
    })
  return { asked, send, see: (uid: string) => seenBy(uid, guid) }
}

/** It is still checked when this returns. */
async function upload(bytes = photo, mimeType = 'image/jpeg', name = 'cat.jpg'): Promise<string> {
  const body = { name, size: bytes.length, mimeType }
  const { data } = await full.createUpload({ onBehalfOf: 'ann', body })
  if (data.put) await bring(app, data.put, bytes)
  const { uploadId } = data
  expect((await full.completeUpload({ params: { uploadId } })).data.state).toBe('checking')
  return uploadId
}

/** The attachment of the message that it is about. */
function attachmentIn({ body }: Received) {
  const [message] = Object.values<Received['body']>(body.contextMessages.at(-1))
  return message.data.attachments[0]
}

/** Opens the picture, as a classifier does, and answers by what it sees. */
function looking(seen: Buffer[]): Behaviour {
  return (response, received) => {
    const look = async () => {
      const picture = await app.fetchFile(attachmentIn(received).url)
      seen.push(Buffer.from(await picture.bytes()))
      return picture.ok
    }
    look().then(
      (isPicture) => opinion(isPicture, 'I saw it.')(response, received),
      () => response.destroy(),
    )
  }
}

async function attachmentsSeenBy(onBehalfOf: string, guid: string) {
  const query = { category: 'message', hideDeleted: true }
  const { data } = await full.listGroupMessages({ onBehalfOf, params: { guid }, query })
  return data.flatMap((one) => ('data' in one ? (one.data.attachments ?? []) : []))
}

describe('a picture that a classifier is asked about', () => {
  test('is looked at as it was checked, and seen by others only then', async () => {
    const { asked, send, see } = await room('fine')
    const { promise: mayAnswer, resolve } = Promise.withResolvers<void>()
    asked.behave = (...call) => void mayAnswer.then(() => opinion(false)(...call))
    const sent = await send(await upload())
    expect(sent.data.moderation).toEqual({ status: 'pending' })
    await expect.poll(() => asked.received.length, wait).toBe(1)
    expect(await see('bob')).toEqual([])
    const [received] = asked.received
    const shown = received && attachmentIn(received)
    expect(shown).toMatchObject({ mimeType: 'image/jpeg', width: 1600 })
    expect(shown.state).toBeUndefined()
    const bytes = Buffer.from(await (await app.fetchFile(shown.url)).bytes())
    expect(photo.includes(payload)).toBe(true)
    expect(bytes.includes(payload)).toBe(false)
    expect((await sharp(bytes).metadata()).width).toBe(1600)
    resolve()
    await expect.poll(() => see('bob'), wait).toEqual([['look', 'approved']])
    const [seen] = await attachmentsSeenBy('bob', 'fine')
    expect((await app.fetchFile(seen?.url ?? '')).status).toBe(200)
  })

  test.for([
    ['an image', 'image/jpeg', { type: 'image' }],
    ['a file', 'image/jpeg', { type: 'file' }],
    ['something without a type', 'application/octet-stream', { type: 'file' }],
    ['an attachment of a text', 'image/jpeg', { type: 'text' }],
  ] as const)('is blocked, also as %s', async ([as, mimeType, how]) => {
    const guid = as.replaceAll(' ', '-')
    const seen: Buffer[] = []
    const { asked, send, see } = await room(guid, { behave: looking(seen) })
    const { id } = await send(await upload(photo, mimeType), how)
    await expect.poll(() => see('ann'), wait).toEqual([['look', 'disapproved']])
    expect(await attachmentsSeenBy('bob', guid)).toEqual([])
    expect(asked.received).toHaveLength(1)
    expect((await sharp(seen[0]).metadata()).exif).toBeUndefined()
    const { data } = await full.listBlockedMessages({ query: { limit: 100 } })
    const held = data.find(({ message }) => message.id === id)
    expect(held).toMatchObject({ ruleId: guid, reason: 'I saw it.' })
    await full.reviewBlockedMessage({ params: { messageId: id }, body: { status: 'approved' } })
    expect(await attachmentsSeenBy('bob', guid)).toMatchObject([{ width: 1600 }])
  })

  test('is seen, and waits for moderators, if the rule only flags', async () => {
    const more = { behave: opinion(true, 'Odd.'), rule: { action: ['flagMessage'] } } satisfies More
    const { send, see } = await room('odd', more)
    await send(await upload())
    await expect.poll(() => see('bob'), wait).toEqual([['look', 'approved']])
    const flagged = async () =>
      (await full.listFlaggedMessages()).data.map(({ receiver }) => receiver)
    await expect.poll(flagged, wait).toEqual(['odd'])
  })

  test('is allowed or blocked if there is no answer, as the classifier says', async () => {
    const behave = answer(500)
    const open = await room('open', { behave })
    const closed = await room('closed', { behave, list: { onError: 'block' } })
    for (const { send } of [open, closed]) await send(await upload())
    await expect.poll(() => open.see('bob'), wait).toEqual([['look', 'approved']])
    await expect.poll(() => closed.see('ann'), wait).toEqual([['look', 'disapproved']])
    expect(await closed.see('bob')).toEqual([])
    // The time of the check is not taken from it.
    expect([open.asked.received.length, closed.asked.received.length]).toEqual([3, 3])
  })

  test('in an edit is asked about before others see the edit', async () => {
    const { asked, see } = await room('edited', { behave: opinion(true) })
    const of = { receiverType: 'group', data: { text: 'words' } } as const
    const { id } = await app.given.message('ann', 'edited', of)
    const data = { text: 'look', attachments: [{ uploadId: await upload() }] }
    await full.editMessage({ params: { id }, onBehalfOf: 'ann', body: { data } })
    expect(await see('bob')).toEqual([['words', 'approved']])
    await expect.poll(() => see('ann'), wait).toEqual([['look', 'disapproved']])
    expect(asked.received.map(attachmentIn)).toMatchObject([{ width: 1600 }])
    expect(await see('bob')).toEqual([])
  })

  test('is shown to a language model beside the words', async () => {
    const { asked, send, see } = await room('model', {
      openAi: true,
      list: { model: 'small', prompt: 'Cats.' },
    })
    asked.behave = answer(
      200,
      JSON.stringify({
        choices: [{ message: { content: '{"isMatchingCondition":false,"reason":""}' } }],
      }),
    )
    await send(await upload())
    await expect.poll(() => see('bob'), wait).toEqual([['look', 'approved']])
    const { content } = asked.received[0]?.body.messages[1] ?? {}
    expect(content).toMatchObject([{ type: 'text' }, { type: 'image_url' }])
    const large = await app.fetchFile(content[1].image_url.url)
    expect(large.headers.get('content-type')).toBe('image/webp')
    expect((await sharp(Buffer.from(await large.bytes())).metadata()).width).toBe(1080)
  })
})

test('of a file that is refused, or no picture, nobody is asked; words are not held up', async () => {
  const { asked, send, see } = await room('spared', { behave: opinion(true) })
  await send(await upload(page))
  await send(await upload(Buffer.from('words'), 'application/octet-stream', 'x'), { type: 'file' })
  await expect.poll(() => see('bob'), wait).toHaveLength(2)
  expect(await attachmentsSeenBy('bob', 'spared')).toMatchObject([
    { state: 'refused' },
    { mimeType: 'application/octet-stream' },
  ])
  expect(asked.received).toEqual([])
})

test('who is asked about words is led to no file that is still checked', async () => {
  const condition = {
    category: 'customApi',
    value: 'words',
    isKeywordReferencePresent: true,
  } as const
  const { asked, send } = await room('words', { rule: { conditions: [condition] } })
  await send(await upload())
  await expect.poll(() => asked.received.length, wait).toBe(1)
  expect(asked.received[0]?.text).not.toContain('/original')
})
