import { afterAll, describe, expect, test } from 'vitest'
import { errorOf, send, type WireRequest } from '../../../testing/src/network/wire.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const keys = { appId: app.appId, apikey: app.keys.full }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

async function call(request: WireRequest) {
  const answer = await send(app.origin, {
    ...request,
    headers: { ...keys, ...request.headers },
  })
  return { ...answer, data: answer.status === 200 ? JSON.parse(answer.text).data : undefined }
}

const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  call({ method: 'POST', path, body, headers })

async function encoded(parts: FormData) {
  const response = new Response(parts)
  const headers = { 'content-type': response.headers.get('content-type') ?? '' }
  return { headers, body: Buffer.from(await response.arrayBuffer()) }
}

await app.given.users('ann', 'bob')
await app.given.user('red', { tags: ['red'] })
await app.given.user('blue', { tags: ['blue'] })
await app.given.user('plain')

describe('a body', () => {
  test('of a form is read as JSON is', async () => {
    const fields = 'uid=Form-1&name=From+a+form&metadata[age]=7&tags[]=a&tags[]=b&withAuthToken=1'
    const { data } = await post('/v3/users', fields, form)
    expect(data).toMatchObject({ uid: 'form-1', name: 'From a form', metadata: { age: '7' } })
    expect(data).toMatchObject({ tags: ['a', 'b'], authToken: expect.any(String) })
  })

  test('without a content type is JSON where it looks like it, and a form otherwise', async () => {
    const none = { 'content-type': '' }
    expect((await post('/v3/users', '{"uid":"untyped","name":"U"}', none)).status).toBe(200)
    expect((await post('/v3/users', 'uid=untyped-2&name=U', none)).status).toBe(200)
  })

  test('of a form may repeat a name, or number its parts', async () => {
    const fields =
      'uid=repeated&name=R&tags=a&tags=b&tags=c&metadata[likes][0]=tea&metadata[likes][]=cake'
    const { data } = await post('/v3/users', fields, form)
    expect(data).toMatchObject({ tags: ['a', 'b', 'c'], metadata: { likes: ['tea', 'cake'] } })
    const places = 'uid=placed&name=P&tags[3]=a&tags[]=b&tags[1]=c'
    expect((await post('/v3/users', places, form)).data.tags.toSorted()).toEqual(['a', 'b', 'c'])
  })

  test.each(['metadata=x&metadata[a]=1', 'metadata[a]=1&metadata=x', 'name=a&name=b'])(
    'of a form that says %s says two things',
    async (fields) => {
      const answer = await post('/v3/users', `uid=twofold&name=T&${fields}`, form)
      expect(answer.status).toBe(400)
    },
  )

  test('in parts is a form, and no file', async () => {
    const parts = new FormData()
    for (const [name, value] of [
      ['uid', 'parts'],
      ['name', 'Zoë'],
      ['metadata[age]', '7'],
      ['tags[]', 'a'],
      ['tags[]', 'b'],
    ] as const)
      parts.append(name, value)
    const sent = async () => {
      const { headers, body } = await encoded(parts)
      return call({ method: 'POST', path: '/v3/users', headers, body })
    }
    expect((await sent()).data).toMatchObject({
      uid: 'parts',
      name: 'Zoë',
      metadata: { age: '7' },
      tags: ['a', 'b'],
    })
    parts.append('avatar', new Blob(['x']), 'a.png')
    expect(errorOf(await sent()).details).toEqual({
      avatar: ['Files are not taken here: send a link to it.'],
    })
  })

  test('in parts that are no parts, or no UTF-8, is refused', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const path = '/v3/users'
    const none = await call({ method: 'POST', path, headers, body: 'uid=parts' })
    expect(errorOf(none).details).toEqual({ body: ['The body is not multipart/form-data.'] })
    const head = '--x\r\nContent-Disposition: form-data; name="uid"\r\n\r\n'
    const body = Buffer.concat([Buffer.from(head), Buffer.from([0xff]), Buffer.from('\r\n--x--')])
    const broken = await call({ method: 'POST', path, headers, body })
    expect(errorOf(broken).details).toEqual({ body: ['The body is not valid UTF-8.'] })
  })

  test('of JSON is read where curl calls it a form', async () => {
    const { data } = await post('/v3/users', '{"uid":"curl","name":"C & D"}', form)
    expect(data).toMatchObject({ uid: 'curl', name: 'C & D' })
  })

  test('with names in snake case is understood though it is complete without them', async () => {
    const { data } = await post('/v3/users', '{"uid":"snake","name":"S","with_auth_token":true}')
    expect(data).toHaveProperty('authToken')
  })

  test('of another type is refused, and the type is shown', async () => {
    const answer = await post('/v3/users', '<uid>x</uid>', { 'content-type': 'text/xml' })
    expect(errorOf(answer).details).toEqual({
      'content-type': ['Send the body as application/json; this is text/xml.'],
    })
  })

  test('of PHP: an empty list is an empty object', async () => {
    const body = '{"uid":"php","name":"P","metadata":[],"tags":[]}'
    expect((await post('/v3/users', body)).data).toMatchObject({ uid: 'php' })
    expect((await post('/v3/users/php/auth_tokens', '[]')).status).toBe(200)
  })

  test('with text, numbers and null for what is meant', async () => {
    const body = {
      uid: 4711,
      name: 'Number',
      metadata: '{"a":{"b":1}}',
      avatar: '',
      link: null,
      statusMessage: '',
      withAuthToken: 'True',
      tags: 'x,y',
    }
    const { data } = await post('/v3/users', JSON.stringify(body))
    expect(data).toMatchObject({ uid: '4711', metadata: { a: { b: 1 } }, tags: ['x', 'y'] })
    expect(data).not.toHaveProperty('avatar')
    expect(data).toHaveProperty('authToken')
  })

  test('of a message whose data is JSON text', async () => {
    const said = '{"text":"hi","metadata":[],"attachments":null}'
    const body = { receiver: 'bob', receiverType: 'USER', data: said }
    const { data } = await post('/v3/messages', JSON.stringify(body), { onBehalfOf: 'ann' })
    expect(data).toMatchObject({ receiver: 'bob', receiverType: 'user', data: { text: 'hi' } })
  })

  test('of a form may nest no deeper than is read, and pollutes nothing', async () => {
    const deep = `a${'[b]'.repeat(50)}=1`
    expect(errorOf(await post('/v3/users', deep, form)).details).toMatchObject({
      body: ['Nest at most 8 levels.'],
    })
    const hostile = 'uid=x&name=x&metadata[__proto__][admin]=1'
    expect((await post('/v3/users', hostile, form)).status).toBe(400)
  })
})

describe('a query', () => {
  const uidsOf = async (query: string) => {
    const { data } = await call({ path: `/v3/users?${query}` })
    return (data as { uid: string }[] | undefined)?.map(({ uid }) => uid)
  }

  test.each(['withTags=true', 'withTags=1', 'withTags=True', 'withTags=TRUE'])(
    '%s shows tags',
    async (query) => {
      const { data } = await call({ path: `/v3/users?searchKey=red&${query}` })
      expect(data).toMatchObject([{ uid: 'red', tags: ['red'] }])
    },
  )

  test.each([
    'tags=red,blue',
    'tags=["red","blue"]',
    'tags[]=red&tags[]=blue',
    'tags=red&tags=blue',
  ])('%s is a list of two', async (query) => {
    expect(await uidsOf(encodeURI(query))).toEqual(['blue', 'red'])
  })

  test('per_page is perPage, and what is empty is absent', async () => {
    expect(await uidsOf('per_page=2')).toHaveLength(2)
    expect(await uidsOf('perPage=2&role=&status=&page=&searchKey=')).toHaveLength(2)
  })

  test('in milliseconds is one in seconds', async () => {
    const { data: first } = await post(
      '/v3/messages',
      '{"receiver":"bob","receiverType":"user","data":{"text":"now"}}',
      { onBehalfOf: 'ann' },
    )
    const messagesFrom = async (at: number) => {
      const query = `fromTimestamp=${at}`
      const path = `/v3/users/ann/messages?${query}`
      return (await call({ path })).data as { id: string }[]
    }
    const seconds = await messagesFrom(first.sentAt - 10)
    expect(seconds.map(({ id }) => id)).toContain(first.id)
    expect(await messagesFrom((first.sentAt - 10) * 1000)).toEqual(seconds)
    expect(await messagesFrom((first.sentAt + 100) * 1000)).toEqual([])
  })
})

test('an app may want it as the contract says, and nothing else', async () => {
  const other = await app.anotherApp()
  const { mapAppSettings } = app.client(other, 'full')
  await mapAppSettings({
    params: { appId: other.appId },
    body: { settings: { 'api.lenientInput': false } },
  })
  const headers = { appId: other.appId, apikey: other.full }
  const strict = await call({ path: '/v3/users?withTags=1', headers })
  expect(errorOf(strict).details).toEqual({ withTags: ['This must be true or false, not "1".'] })
})

describe('refusals', () => {
  const details = async (body: object) => errorOf(await post('/v3/users', JSON.stringify(body)))

  test('name every field at once, in plain words', async () => {
    expect(await details({})).toMatchObject({
      message: 'The request is not valid. uid: This field is required.',
      details: { uid: ['This field is required.'], name: ['This field is required.'] },
    })
    const wrong = { uid: 'ann@example.org', name: '', avatar: 'javascript:alert(1)', role: 'A B' }
    expect((await details(wrong)).details).toEqual({
      uid: [
        expect.stringMatching(
          /^Use letters, digits, - and _; an e-mail .* \(this is "ann@example.org"\)\.$/,
        ),
      ],
      name: ['This field must not be empty.'],
      avatar: ['Use a link that begins with http:// or https:// (this is "javascript:alert(1)").'],
      role: [expect.stringContaining('Use letters, digits, - and _')],
    })
  })

  test('say how much is too much', async () => {
    const body = { uid: 'x', name: 'x'.repeat(101), metadata: { a: 'x'.repeat(6000) } }
    expect((await details(body)).details).toEqual({
      name: ['Use at most 100 characters; these are 101.'],
      metadata: ['This has 6008 bytes of JSON; 5120 are allowed.'],
    })
  })

  test('show no secret', async () => {
    const body = { guid: 'g', name: 'G', type: 'password', password: ['swordfish'] }
    const answer = await post('/v3/groups', JSON.stringify(body))
    expect(answer.status).toBe(400)
    expect(answer.text).not.toContain('swordfish')
  })
})
