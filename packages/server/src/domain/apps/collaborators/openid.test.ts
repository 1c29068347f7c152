import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorOf, send } from '../../../../../testing/src/network/wire.ts'
import {
  type OpenIdProvider,
  startOpenIdProvider,
} from '../../../../../testing/src/providers/openid.ts'
import { consoleClient } from '../../../../../testing/src/service/console.ts'
import { consoleUrl } from '../../../../../testing/src/service/console-page.ts'
import { startTestApp, type TestApp } from '../../../../../testing/src/service/test-app.ts'

const stack = new AsyncDisposableStack()
let provider: OpenIdProvider
let app: TestApp
const start = Math.floor(Date.now() / 1000)
let now = start
beforeAll(async () => {
  const redirectUri = `${consoleUrl}/console/sign-in/callback`
  provider = stack.use(await startOpenIdProvider(redirectUri, 'chorale', 'of the tests'))
  app = stack.use(
    await startTestApp({
      shadow: false,
      clock: () => now,
      live: {
        settings: {
          OIDC_ISSUER: provider.issuer,
          OIDC_NAME: 'Our provider',
          OIDC_CLIENT_ID: 'chorale',
          OIDC_CLIENT_SECRET: 'of the tests',
          OIDC_SCOPES: 'openid email profile groups',
          OIDC_ROLES: 'group:chat-admins=owner,domain:staff.example=viewer',
          EGRESS_HTTP: 'true',
          EGRESS_ALLOW: '127.0.0.1',
        },
      },
    }),
  )
})
afterAll(() => stack[Symbol.asyncDispose]())

function cookieIn(headers: { readonly 'set-cookie'?: string[] | undefined }, name: string): string {
  const lines = headers['set-cookie'] ?? []
  const found = lines.find((line) => line.startsWith(`${name}=`))
  return /=([^;]*)/.exec(found ?? '')?.[1] ?? ''
}

async function begin(returnTo = '/console/apps') {
  const path = `/console/sign-in/provider?returnTo=${encodeURIComponent(returnTo)}`
  const { status, headers, text } = await send(app.managementOrigin, { path })
  expect(status, text).toBe(303)
  const kept = cookieIn(headers, 'chorale-sign-in')
  return { url: String(headers.location), kept, cookie: `chorale-sign-in=${kept}` }
}

/** The browser comes back. */
function comeBack(at: string, cookie: string) {
  const { pathname, search } = new URL(at)
  return send(app.managementOrigin, { path: pathname + search, headers: { cookie } })
}

async function signIn(account: string) {
  const { url, cookie } = await begin()
  return comeBack(await provider.signIn(url, account), cookie)
}

async function self(account: string) {
  const answer = await signIn(account)
  expect(answer.status, answer.text).toBe(303)
  return consoleClient(app, cookieIn(answer.headers, 'chorale'), app.appId)
}

test('who was invited by an address that the provider has verified signs in', async () => {
  const params = { appId: app.appId }
  const body = { moderators: ['moe@elsewhere.example'] }
  await app.as('full').updateCollaborators({ params, body })
  const { url, cookie } = await begin('/console/queue?page=2')
  expect(new URL(url).searchParams.get('code_challenge_method')).toBe('S256')
  const answer = await comeBack(await provider.signIn(url, 'Moe@elsewhere.example'), cookie)
  expect([answer.status, answer.headers.location]).toEqual([303, '/console/queue?page=2'])
  const lines = String(answer.headers['set-cookie'])
  expect(lines).toMatch(/chorale-sign-in=; Path=\/; HttpOnly; SameSite=Lax; Max-Age=0/)
  expect(lines).toMatch(/chorale=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax/)
  const calls = consoleClient(app, cookieIn(answer.headers, 'chorale'), app.appId)
  const { data } = await calls.getSession()
  expect(data).toMatchObject({
    email: 'moe@elsewhere.example',
    mustEnrol: false,
    hasPassword: false,
  })
  expect(data.apps).toMatchObject([{ id: app.appId, role: 'moderator' }])
  expect((await calls.listBlockedMessages()).data).toEqual([])
  // Once taken away, the session that is left opens nothing.
  await app
    .as('full')
    .updateCollaborators({ params, body: { collaboratorsToRemove: body.moderators } })
  await expect(calls.listUsers()).rejects.toMatchObject({ code: 'AUTH_ERR_NO_ACCESS' })
  expect(errorOf(await signIn('Moe@elsewhere.example')).code).toBe('ERR_NOT_INVITED')
})

test('strangers, and addresses that nobody has verified, stay outside', async () => {
  await app.as('full').updateCollaborators({
    params: { appId: app.appId },
    body: { owners: ['ada@elsewhere.example'] },
  })
  for (const account of ['eve@elsewhere.example', '!ada@elsewhere.example', '!x@staff.example']) {
    const answer = await signIn(account)
    expect([answer.status, errorOf(answer).code]).toEqual([403, 'ERR_NOT_INVITED'])
    expect(String(answer.headers['set-cookie'])).not.toMatch(/chorale=/)
  }
  // The address belongs to the first who shows it; nobody else becomes that person.
  await self('ada@elsewhere.example')
  expect(errorOf(await signIn('ada@elsewhere.example+other')).code).toBe('ERR_NOT_INVITED')
})

test('a group and a domain give a role, for as long as the provider says so', async () => {
  const viewer = await (await self('vic@staff.example')).getSession()
  expect(viewer.data).toMatchObject({ role: 'viewer', name: 'Nora at the provider' })
  const owner = await (await self('boss@elsewhere.example+chat-admins')).getSession()
  expect(owner.data.role).toBe('owner')
})

describe('who leaves a group at the provider', () => {
  test('loses its role with the next sign-in, and in the older sessions as well', async () => {
    const account = 'lea@elsewhere.example+chat-admins'
    const before = await self(account)
    expect((await before.getSession()).data.role).toBe('owner')
    await provider.setGroups(account, ['others'])
    expect(errorOf(await signIn(account)).code).toBe('ERR_NOT_INVITED')
    await expect(before.listUsers()).rejects.toMatchObject({ code: 'AUTH_ERR_NO_ACCESS' })
    await provider.setGroups(account, ['others', 'chat-admins'])
    expect((await (await self(account)).getSession()).data.role).toBe('owner')
  })

  test('has the role of the next rule that fits, and keeps a role in an app', async () => {
    const account = 'max@staff.example+chat-admins'
    await self(account)
    const params = { appId: app.appId }
    await provider.setGroups(account, [])
    expect((await (await self(account)).getSession()).data.role).toBe('viewer')
    const noDomain = 'mia@elsewhere.example+chat-admins'
    await self(noDomain)
    await provider.setGroups(noDomain, [])
    expect(errorOf(await signIn(noDomain)).code).toBe('ERR_NOT_INVITED')
    const body = { moderators: ['mia@elsewhere.example'] }
    await app.as('full').updateCollaborators({ params, body })
    const { data } = await (await self(noDomain)).getSession()
    expect([data.role, data.apps.map(({ role }) => role)]).toEqual([undefined, ['moderator']])
  })
})

test('an answer that was not asked for, is late or comes twice is refused', async () => {
  const first = await begin()
  const other = await begin()
  const back = await provider.signIn(first.url, 'vic@staff.example')
  const refused = async (at: string, cookie: string) => {
    const answer = await comeBack(at, cookie)
    expect(String(answer.headers['set-cookie'])).not.toMatch(/chorale=/)
    return errorOf(answer).code
  }
  // Another browser, with its own state; one that has begun nothing; a cookie of one's own making.
  expect(await refused(back, other.cookie)).toBe('ERR_PROVIDER_FAILED')
  expect(await refused(back, '')).toBe('ERR_SIGN_IN_REFUSED')
  expect(await refused(back, 'chorale-sign-in=AAAA')).toBe('ERR_PROVIDER_FAILED')
  now = start + 600
  expect(await refused(back, first.cookie)).toBe('ERR_SIGN_IN_REFUSED')
  now = start
  expect((await comeBack(back, first.cookie)).status).toBe(303)
  expect(await refused(back, first.cookie)).toBe('ERR_PROVIDER_FAILED')
  expect(
    await refused(`${consoleUrl}/console/sign-in/callback?error=access_denied`, first.cookie),
  ).toBe('ERR_PROVIDER_FAILED')
})

test('the way back leads to the console and nowhere else', async () => {
  for (const returnTo of ['https://evil.example', '//evil.example', '/\\evil.example']) {
    const { url, cookie } = await begin(returnTo)
    const answer = await comeBack(await provider.signIn(url, 'vic@staff.example'), cookie)
    expect(answer.headers.location).toBe('/console')
  }
})

test('the console is told how one can sign in', async () => {
  const { text } = await send(app.managementOrigin, { path: '/console/sign-in/methods' })
  const provider = { name: 'Our provider', path: '/console/sign-in/provider' }
  expect(JSON.parse(text)).toEqual({ data: { password: true, provider } })
})
