import { allOperations } from '@chorale/contract/api'
import { afterAll, expect, test } from 'vitest'
import { errorOf, send, type WireAnswer } from '../../../testing/src/network/wire.ts'
import { fullCall } from '../../../testing/src/requests/full-calls.ts'
import { lenientCalls } from '../../../testing/src/requests/leniencies.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const keys = { appId: app.appId, apikey: app.keys.full }
const strict = await app.anotherApp()
const strictKeys = { appId: strict.appId, apikey: strict.full }
await app.client(strict, 'full').mapAppSettings({
  params: { appId: strict.appId },
  body: { settings: { 'api.lenientInput': false } },
})
for (const headers of [keys, strictKeys]) {
  for (const uid of ['ann', 'bob']) await made('/v3/users', { uid, name: uid }, headers)
  await made('/v3/groups', { guid: 'team', name: 'Team', type: 'public' }, headers)
  await made('/v3/groups/team/members', { participants: ['ann', 'bob'] }, headers)
  await made('/v3/roles', { role: 'manager', name: 'Manager' }, headers)
}

async function made(path: string, body: object, headers: Record<string, string>) {
  const answer = await send(app.origin, {
    method: 'POST',
    path,
    headers,
    body: JSON.stringify(body),
  })
  expect(answer.status, answer.text).toBe(200)
}

// Lists --------------------------------------------------------------------------------------------

type Query = Readonly<Record<string, unknown>>

interface Listing {
  readonly name: string
  readonly leniency: string
  readonly path: string
  readonly written: Query
  readonly meant: Query
  readonly headers: Readonly<Record<string, string>>
}

const inPaths: Readonly<Record<string, string>> = { uid: 'ann', guid: 'team', role: 'manager' }

/** A list in each app, asked for with one field that is written otherwise; each way once. */
function* listings(): Iterable<Listing> {
  for (const [name, operation] of allOperations) {
    const { method, path, requires, onBehalfOf, query } = operation
    const params = [...path.matchAll(/:(\w+)/g)].map(([, param = '']) => param)
    const needs = (query?.required ?? []).filter(
      (field) => !('default' in (query?.properties[field] ?? {})),
    )
    if (method !== 'GET' || requires !== 'fullAccess' || needs.length > 0) continue
    if (params.some((param) => !inPaths[param])) continue
    const seen = new Set<string>()
    const full = fullCall(operation).query
    for (const { leniency, part, field, written, meant } of lenientCalls(operation)) {
      if (part !== 'query' || seen.size === seen.add(leniency).size) continue
      yield {
        name,
        leniency,
        path: `/v3${path.replaceAll(/:(\w+)/g, (_, param) => inPaths[param] ?? '')}`,
        written: Object.fromEntries(
          Object.entries(written.query).filter(([key]) => key === field || !(key in full)),
        ),
        meant: field in meant.query ? { [field]: meant.query[field] } : {},
        headers: onBehalfOf ? { onBehalfOf: 'ann' } : {},
      }
    }
  }
}

function textOf(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, String(one)]),
  )
  return new URLSearchParams(pairs).toString()
}

const all = [...listings()]

test.each(all)('$name answers the same with $leniency', async (one) => {
  const headers = { ...keys, ...one.headers }
  const ask = (query: Query) => send(app.origin, { path: `${one.path}?${textOf(query)}`, headers })
  const [written, meant] = [await ask(one.written), await ask(one.meant)]
  expect(masked(written)).toEqual(masked(meant))
})

test('these are a few dozen, and most are answered with a list', async () => {
  expect(new Set(all.map(({ name }) => name)).size).toBeGreaterThan(12)
  expect(new Set(all.map(({ leniency }) => leniency)).size).toBeGreaterThan(6)
  const statuses = await Promise.all(
    all.map(async ({ path, written, headers }) => {
      const request = { path: `${path}?${textOf(written)}`, headers: { ...keys, ...headers } }
      return (await send(app.origin, request)).status
    }),
  )
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(36)
})

// Changes ------------------------------------------------------------------------------------------

const text = { receiver: 'bob', receiverType: 'user', category: 'message', type: 'text' }
const changes: readonly (readonly [
  method: string,
  path: string,
  meant: object,
  written: object,
])[] = [
  [
    'PUT',
    '/v3/users/ann',
    { name: 'Ann', metadata: { a: 'b' }, tags: ['x', 'y'], link: 'https://example.com/a' },
    { name: 'Ann', metadata: '{"a":"b"}', tags: 'x,y', link: 'https://example.com/a', avatar: '' },
  ],
  [
    'PUT',
    '/v3/groups/team',
    { name: 'Team', tags: ['7'], metadata: { a: 'b' } },
    { name: 'Team', tags: 7, metadata: '{"a":"b"}', icon: null },
  ],
  ['PUT', '/v3/roles/manager', { name: '42' }, { name: 42, description: null }],
  ['POST', '/v3/users/ann/auth_tokens', { force: true }, { force: 'True' }],
  [
    'POST',
    '/v3/messages',
    { ...text, data: { text: 'hi' } },
    { ...text, receiverType: 'USER', receiver: 'BOB', data: '{"text":"hi"}', tags: null },
  ],
  [
    'PUT',
    '/v3/groups/team/scopes/participant/permissions',
    { permissions: { sendMessage: 'allow' } },
    { permissions: '{"sendMessage":"allow"}' },
  ],
]

/** Without what is another each time. */
function masked({ status, text }: WireAnswer): unknown {
  const odd = /^(id|muid|authToken|.*At)$/
  const body = JSON.parse(text, (name, value) => (odd.test(name) ? typeof value : value))
  return { status, body }
}

function formOf(value: object, prefix = ''): string {
  const pairs = Object.entries(value).map(([name, part]) => {
    const key = prefix ? `${prefix}[${name}]` : name
    return typeof part === 'object' ? formOf(part, key) : `${key}=${encodeURIComponent(part)}`
  })
  return pairs.join('&')
}

const boundary = 'between-parts'

/** As `curl -F` sends it, and PHP's curl, given an array. */
function partsOf(form: string): string {
  const parts = Array.from(new URLSearchParams(form), ([name, value]) => {
    const head = `Content-Disposition: form-data; name="${name}"`
    return `--${boundary}\r\n${head}\r\n\r\n${value}\r\n`
  })
  return `${parts.join('')}--${boundary}--\r\n`
}

const ways = (meant: object, written: object) =>
  [
    ['written otherwise', JSON.stringify(written), 'application/json'],
    ['as a form', formOf(meant), 'application/x-www-form-urlencoded'],
    ['in parts', partsOf(formOf(meant)), `multipart/form-data; boundary=${boundary}`],
    ['without a type', JSON.stringify(meant), ''],
    ['as a form without a type', formOf(meant), ''],
  ] as const

test.each(changes)('%s %s answers the same, however it is sent', async (...change) => {
  const [method, path, meant, written] = change
  const put = (body: string, type: string, own: Record<string, string> = keys) => {
    const onBehalfOf = path === '/v3/messages' ? { onBehalfOf: 'ann' } : {}
    const headers = { ...own, ...onBehalfOf, 'content-type': type }
    return send(app.origin, { method, path, headers, body })
  }
  const wanted = await put(JSON.stringify(meant), 'application/json')
  expect(wanted.status, wanted.text).toBe(200)
  for (const [way, body, type] of ways(meant, written)) {
    expect({ way, ...Object(masked(await put(body, type))) }).toEqual({
      way,
      ...Object(masked(wanted)),
    })
    const refused = await put(body, type, strictKeys)
    // Files come with a message only so: every app takes it.
    if (path === '/v3/messages' && way === 'in parts') continue
    expect({ way, status: refused.status }).toEqual({ way, status: 400 })
    expect(errorOf(refused).code).toBe('ERR_BAD_REQUEST')
  }
})

test('a link that runs a script is refused, however it is sent', async () => {
  const avatar = 'javascript:alert(1)'
  for (const [, body, type] of ways({ avatar }, { avatar })) {
    const headers = { ...keys, 'content-type': type }
    const answer = await send(app.origin, { method: 'PUT', path: '/v3/users/ann', headers, body })
    expect(errorOf(answer).details).toHaveProperty('avatar')
  }
  const attachments = [{ url: avatar, name: 'a', mimeType: 'a', extension: 'a', size: 1 }]
  const body = JSON.stringify({ ...text, type: 'image', data: JSON.stringify({ attachments }) })
  const headers = { ...keys, onBehalfOf: 'ann' }
  const answer = await send(app.origin, { method: 'POST', path: '/v3/messages', headers, body })
  expect(errorOf(answer).code).toBe('ERR_INVALID_MEDIA_MESSAGE')
})
