import type { Api } from '@chorale/contract/api'
import type { CallInput } from '@chorale/contract/operation'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

let now = 1_800_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
const { given } = app
await given.users('ann', 'bob', 'cid')
await given.group('tea', { owner: 'ann' })

type Body = CallInput<Api['submitMessage']>['body']
const plain = { sender: 'ann', receiver: 'bob', receiverType: 'user' } as const
const text = { text: 'hello' }
const submit = async (more: Partial<Body> = {}) =>
  (await full.submitMessage({ body: { ...plain, data: text, ...more } })).data
const refused = (more: Partial<Body>, code: string) =>
  expect(submit(more)).rejects.toMatchObject({ code })
const get = async (id: string) => (await full.getSubmission({ params: { id } })).data
const gone = { code: 'ERR_MESSAGE_ID_NOT_FOUND' }
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

describe('a message that is submitted', () => {
  test('is answered like any message, and waits to be moderated', async () => {
    const data = { text: 'hi <@uid:cid>', metadata: { from: 'elsewhere' } }
    const message = await submit({ data, tags: ['t'], muid: 'm-1', sentAt: 1_700_000_000 })
    expect(message).toMatchObject({
      ...plain,
      id: expect.stringMatching(/^[1-9]\d*$/),
      muid: 'm-1',
      tags: ['t'],
      conversationId: 'ann_user_bob',
      category: 'message',
      type: 'text',
      sentAt: 1_700_000_000,
      updatedAt: now,
      data: {
        ...data,
        moderation: { status: 'pending' },
        entities: {
          sender: { entity: { uid: 'ann', name: 'ANN' }, entityType: 'user' },
          receiver: { entity: { uid: 'bob', conversationId: 'ann_user_bob' }, entityType: 'user' },
        },
        mentions: { cid: { uid: 'cid' } },
      },
    })
    expect(message).not.toHaveProperty('editedAt')
    expect(await get(message.id)).toEqual(message)
  })

  test('to a group says which, and whoever sends it need not be a member', async () => {
    const to = { sender: 'cid', receiver: 'TEA', receiverType: 'group' } as const
    const message = await submit(to)
    expect(message).toMatchObject({
      receiver: 'tea',
      conversationId: 'group_tea',
      sentAt: now,
      data: { entities: { receiver: { entity: { guid: 'tea' }, entityType: 'group' } } },
    })
  })

  test('is in no conversation, and no message there has its id', async () => {
    const { id } = await submit({ receiver: 'cid' })
    const sent = await given.message('ann', 'bob')
    expect(Number(sent.id)).toBeGreaterThan(Number(id))
    await expect(full.getMessage({ params: { id } })).rejects.toMatchObject(gone)
    await expect(full.getSubmission({ params: { id: sent.id } })).rejects.toMatchObject(gone)
    const { data } = await full.listMessages({})
    expect(data.flatMap((one) => ('id' in one ? [one.id] : []))).not.toContain(id)
    const { data: none } = await full.listConversations({ onBehalfOf: 'cid' })
    expect(none).toEqual([])
    expect((await app.events()).map(({ name }) => name)).not.toContain('submission.moderated')
  })

  test('and repeated is the one that is there, as with sends', async () => {
    const first = await submit({ muid: 'again' })
    expect(await submit({ muid: 'again', data: { text: 'other' } })).toEqual(first)
    for (const more of [{ sender: 'cid' }, { receiver: 'cid' }, { muid: 'else' }]) {
      expect((await submit({ muid: 'again', ...more })).id).not.toBe(first.id)
    }
    expect((await submit()).id).not.toBe((await submit()).id)
  })

  test('may be a picture, or custom', async () => {
    const attachment = { url: 'https://a.example/b.png', name: 'b', mimeType: 'image/png' }
    const attachments = [{ ...attachment, extension: 'png', size: '17' }]
    const image = await submit({ type: 'image', data: { attachments } })
    expect(image.data.attachments).toEqual([{ ...attachment, extension: 'png', size: '17' }])
    const data = { customData: { place: 'here' } }
    const custom = await submit({ category: 'custom', type: 'location', data })
    expect(custom).toMatchObject({ category: 'custom', type: 'location', data })
  })

  test('says what a message may say', async () => {
    await refused({ data: {} }, 'ERR_EMPTY_MESSAGE_TEXT')
    await refused({ data: { text: 7 } }, 'ERR_INVALID_MESSAGE_TEXT')
    await refused({ data: { text: 'x', metadata: 'y' } }, 'ERR_INVALID_METADATA')
    await refused({ type: 'image' }, 'ERR_EMPTY_MESSAGE_FILE')
    await refused({ type: 'image', data: { attachments: 'x' } }, 'ERR_INVALID_MEDIA_MESSAGE')
    await refused({ type: 'poem' }, 'ERR_INVALID_MESSAGE_TYPE')
    await refused({ category: 'custom' }, 'ERR_EMPTY_CUSTOM_DATA')
    await refused({ category: 'custom', data: { customData: 7 } }, 'ERR_INVALID_CUSTOM_DATA')
    await refused({ data: { text: 'x'.repeat(10_240) } }, 'ERR_BAD_REQUEST')
    await refused({ tags: Array.from({ length: 26 }, (_, n) => `t${n}`) }, 'ERR_BAD_REQUEST')
    await refused({ muid: 'x'.repeat(101) }, 'ERR_BAD_REQUEST')
    await refused({ sentAt: 99_999_999_999_999 }, 'ERR_BAD_REQUEST')
    await refused({ receiver: 'ann' }, 'ERR_BAD_REQUEST')
  })

  test('needs a key with full access', async () => {
    const body = { ...plain, data: text }
    await expect(app.as('auth').submitMessage({ body })).rejects.toMatchObject({
      code: 'AUTH_ERR_NO_ACCESS',
    })
  })
})

describe('sender and receiver', () => {
  const dan = { uid: 'dan', name: 'Dan' }

  test('must be there', async () => {
    await refused({ sender: 'nobody' }, 'ERR_UID_NOT_FOUND')
    await refused({ receiver: 'nobody' }, 'ERR_UID_NOT_FOUND')
    await refused({ receiverType: 'group', receiver: 'none' }, 'ERR_GUID_NOT_FOUND')
  })

  test('or are created, with the message or not at all', async () => {
    const eve = {
      uid: 'eve',
      name: 'Eve',
      role: 'default',
      tags: ['new'],
      createdAt: 1_600_000_000,
    }
    const ends = { sender: 'dan', senderUserDetails: dan, receiver: 'EVE' }
    await refused({ ...ends, receiver: 'nobody' }, 'ERR_UID_NOT_FOUND')
    await expect(full.getUser({ params: { uid: 'dan' } })).rejects.toMatchObject({
      code: 'ERR_UID_NOT_FOUND',
    })
    const message = await submit({ ...ends, receiverUserDetails: eve })
    expect(message.data.entities).toMatchObject({
      sender: { entity: { uid: 'dan', name: 'Dan', createdAt: now } },
      receiver: { entity: { uid: 'eve', createdAt: 1_600_000_000 } },
    })
    expect((await full.getUser({ params: { uid: 'eve' } })).data.tags).toEqual(['new'])
    const made = (await app.events()).slice(-2)
    expect(made).toEqual([
      { name: 'user.created', payload: { uid: 'dan' } },
      { name: 'user.created', payload: { uid: 'eve' } },
    ])
  })

  test('who are there stay as they are', async () => {
    const message = await submit({ senderUserDetails: { uid: 'ann', name: 'Other', role: 'none' } })
    expect(message.data.entities?.sender?.entity.name).toBe('ANN')
  })

  test('a group is created too, with its owner in it', async () => {
    const details = { guid: 'den', name: 'Den', type: 'private', owner: 'fay' } as const
    const to = { receiver: 'den', receiverType: 'group' } as const
    await refused({ ...to, receiverGroupDetails: details }, 'ERR_UID_NOT_FOUND')
    const locked = { ...details, owner: 'ann', type: 'password' } as const
    await refused({ ...to, receiverGroupDetails: locked }, 'ERR_EMPTY_GROUP_PASS')
    const fay = { sender: 'fay', senderUserDetails: { uid: 'fay', name: 'Fay' } }
    const since = { ...details, createdAt: 1_600_000_000 }
    await submit({ ...to, ...fay, receiverGroupDetails: since })
    const { data: den } = await full.getGroup({ params: { guid: 'den' } })
    expect(den).toMatchObject({ type: 'private', owner: 'fay', createdAt: 1_600_000_000 })
    const { data: members } = await full.listMembers({ params: { guid: 'den' } })
    expect(members.map(({ uid }) => uid)).toEqual(['fay'])
    expect((await app.events()).at(-1)).toEqual({
      name: 'group.created',
      payload: { guid: 'den' },
    })
  })

  test('are those whom the details speak of', async () => {
    await refused({ senderUserDetails: dan }, 'ERR_BAD_REQUEST')
    await refused({ receiverUserDetails: dan }, 'ERR_BAD_REQUEST')
    const other = { guid: 'other', name: 'Other', type: 'public' } as const
    const toTea = { receiver: 'tea', receiverType: 'group' } as const
    await refused({ ...toTea, receiverGroupDetails: other }, 'ERR_BAD_REQUEST')
    const unknown = { uid: 'gus', name: 'Gus', role: 'nothing' }
    await refused({ sender: 'gus', senderUserDetails: unknown }, 'ERR_BAD_REQUEST')
  })

  test('take what they said along when they are deleted for ever', async () => {
    await given.user('hal')
    const said = await submit({ sender: 'hal' })
    const heard = await submit({ receiver: 'hal' })
    const stays = await submit()
    await full.deleteUser({ params: { uid: 'hal' }, body: { permanent: true } })
    for (const { id } of [said, heard]) await expect(get(id)).rejects.toMatchObject(gone)
    expect((await get(stays.id)).id).toBe(stays.id)
  })
})

describe('the list', () => {
  test('shows what each filter asks for, in the order it came', async () => {
    await given.users('kim', 'lou')
    const custom = { category: 'custom', type: 'poll', data: { customData: {} } } as const
    const first = await submit({ sender: 'kim', receiver: 'lou' })
    const second = await submit({ sender: 'lou', receiver: 'kim', ...custom })
    const third = await submit({ sender: 'kim', receiver: 'tea', receiverType: 'group' })
    type Query = NonNullable<CallInput<Api['listSubmissions']>['query']>
    const listed = async (query: Query) => ids((await full.listSubmissions({ query })).data)
    expect(await listed({ sender: 'KIM' })).toEqual(ids([first, third]))
    expect(await listed({ receiverUID: 'kim' })).toEqual([second.id])
    expect(await listed({ receiverGUID: 'tea', sender: 'kim' })).toEqual([third.id])
    expect(await listed({ receiverGUID: 'kim' })).toEqual([])
    expect(await listed({ type: 'poll' })).toEqual([second.id])
    expect((await listed({ category: 'custom' })).at(-1)).toBe(second.id)
    expect(await listed({ category: 'message', sender: 'lou' })).toEqual([])
    expect((await listed({ moderationStatus: 'pending' })).slice(-3)).toEqual(
      ids([first, second, third]),
    )
    for (const moderationStatus of ['approved', 'disapproved'] as const) {
      expect(await listed({ moderationStatus })).toEqual([])
    }
    await expect(listed({ limit: 1001 })).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' })
  })

  test('is turned by place, both ways, each row once', async () => {
    const said: string[] = []
    for (let n = 0; n < 5; n++) said.push((await submit({ sender: 'bob', receiver: 'cid' })).id)
    const walk = async (affix: 'append' | 'prepend') => {
      const pages: string[][] = []
      let id: string | undefined
      do {
        const query = { sender: 'bob', limit: 2, affix, ...(id !== undefined && { id }) }
        const { data, meta } = await full.listSubmissions({ query })
        expect(meta.current).toEqual({ limit: 2, count: data.length })
        expect(meta.next?.sentAt).toBe(meta.next && now)
        pages.push(ids(data))
        id = meta.next?.id
      } while (id !== undefined)
      return pages
    }
    expect(await walk('append')).toEqual([said.slice(0, 2), said.slice(2, 4), said.slice(4)])
    expect(await walk('prepend')).toEqual([said.slice(3), said.slice(1, 3), said.slice(0, 1)])
    const { data, meta } = await full.listSubmissions({ query: { sender: 'bob' } })
    expect([ids(data), meta]).toEqual([said, { current: { limit: 100, count: 5 } }])
  })
})

describe('a submission that is edited', () => {
  test('says the new, keeps the rest, and waits to be moderated', async () => {
    const before = await submit({ data: { text: 'old <@uid:cid>' }, tags: ['kept'] })
    now += 10
    const params = { id: before.id }
    const { data } = await full.updateSubmission({ params, body: { data: { text: 'new' } } })
    expect(data).toMatchObject({
      id: before.id,
      tags: ['kept'],
      sentAt: before.sentAt,
      updatedAt: now,
      editedAt: now,
      editedBy: 'app_system',
      data: { text: 'new', moderation: { status: 'pending' } },
    })
    expect(data.data).not.toHaveProperty('mentions')
    expect(await get(before.id)).toEqual(data)
    const { data: again } = await full.updateSubmission({ params, body: {} })
    expect(again.data.text).toBe('new')
  })

  test('says what a message of its kind may say, and must be there', async () => {
    const { id } = await submit()
    const edit = (of: string, data: Record<string, unknown>) =>
      full.updateSubmission({ params: { id: of }, body: { data } })
    const fails = (of: string, data: Record<string, unknown>, code: string) =>
      expect(edit(of, data)).rejects.toMatchObject({ code })
    await fails(id, {}, 'ERR_EMPTY_MESSAGE_TEXT')
    await fails(id, { text: 7 }, 'ERR_INVALID_MESSAGE_TEXT')
    await fails(id, { text: 'x', metadata: 'y' }, 'ERR_INVALID_METADATA')
    await fails(id, { text: 'x'.repeat(10_240) }, 'ERR_BAD_REQUEST')
    const file = { attachments: [{ url: 'https://a.example/b' }] }
    const image = await submit({ type: 'image', data: file })
    await fails(image.id, {}, 'ERR_EMPTY_MESSAGE_FILE')
    await fails(image.id, { attachments: 'x' }, 'ERR_INVALID_MEDIA_MESSAGE')
    const custom = await submit({ category: 'custom', data: { customData: {} } })
    await fails(custom.id, {}, 'ERR_EMPTY_CUSTOM_DATA')
    await fails(custom.id, { customData: 7 }, 'ERR_INVALID_CUSTOM_DATA')
    await fails('7', text, 'ERR_MESSAGE_ID_NOT_FOUND')
    expect((await get(id)).data.text).toBe('hello')
  })
})

test('a submission that is deleted is gone, and its muid is free', async () => {
  const { id } = await submit({ muid: 'free' })
  const remove = () => full.deleteSubmission({ params: { id } })
  expect((await remove()).data.success).toBe(true)
  await expect(get(id)).rejects.toMatchObject(gone)
  await expect(remove()).rejects.toMatchObject(gone)
  expect((await submit({ muid: 'free' })).id).not.toBe(id)
})

test('calls of the same moment create the same people and the same message once', async () => {
  const both = [
    { uid: 'ping', name: 'Ping' },
    { uid: 'pong', name: 'Pong' },
  ] as const
  const group = { guid: 'hall', name: 'Hall', type: 'public' } as const
  const client = app.client(await app.anotherApp(), 'full')
  const calls = Array.from({ length: 20 }, (_, n) => {
    const [senderUserDetails, receiverUserDetails] = n % 2 === 0 ? both : both.toReversed()
    const toUser = { receiverType: 'user', receiver: receiverUserDetails?.uid } as const
    const toGroup = { receiverType: 'group', receiver: 'hall' } as const
    const body = {
      sender: senderUserDetails?.uid ?? '',
      data: text,
      muid: 'same',
      ...(n % 4 < 2 ? toUser : toGroup),
      senderUserDetails,
      receiverUserDetails,
      receiverGroupDetails: group,
    }
    return client.submitMessage({ body: body as Body })
  })
  const answers = await Promise.all(calls)
  expect(new Set(answers.map(({ data }) => data.id)).size).toBe(4)
  const { data } = await client.listSubmissions({})
  expect(data).toHaveLength(4)
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from conversations c
    where not exists (select from groups g where g.conversation_key = c.conversation_key)
      and not exists (select from user_conversations u
                      where u.conversation_key = c.conversation_key)`.execute(app.db)
  expect(rows).toEqual([{ n: 0 }])
})
