import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorOf, send, type WireAnswer } from '../../../testing/src/network/wire.ts'
import { fromBase32 } from '../../../testing/src/service/authenticator.ts'
import { consoleClient } from '../../../testing/src/service/console.ts'
import { consoleUrl, pageHeaders } from '../../../testing/src/service/console-page.ts'
import { note } from '../../../testing/src/service/contract-coverage.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'
import { hashPassword, insertPerson, setRoleInApp } from '../domain/apps/collaborators/index.ts'
import { codeAt, stepOf } from '../domain/apps/collaborators/totp.ts'
import { openPasswords } from '../vault/passwords.ts'

const start = 1_700_000_000
let now = start
const app = await startTestApp({ shadow: false, clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const { appId, managementOrigin: origin } = app
const password = 'correct horse battery'
const passwordHash = await hashPassword(openPasswords(1), password)

async function newPerson(name: string) {
  const email = `${name}@example.com`
  const id = await insertPerson(app, { email, name, passwordHash, createdAt: now })
  if (id === undefined) throw new Error(`${email} is taken.`)
  await setRoleInApp(app, id, 'owner', now)
  return { id, email }
}

const fromPage = { origin: consoleUrl, 'x-chorale-console': '1' }

function signIn(given: object, headers: Record<string, string> = fromPage): Promise<WireAnswer> {
  const body = JSON.stringify(given)
  return send(origin, { method: 'POST', path: '/console/sign-in', headers, body })
}

function cookieOf(answer: WireAnswer): string {
  return String(answer.headers['set-cookie'])
}

async function sessionOf(given: object, headers?: Record<string, string>): Promise<string> {
  const answer = await signIn(given, headers)
  expect(answer.status, answer.text).toBe(200)
  return /^chorale=([^;]+);/.exec(cookieOf(answer))?.[1] ?? ''
}

/** With a second factor. */
async function enrolled(name: string) {
  const { email, id } = await newPerson(name)
  const session = await sessionOf({ email, password })
  const calls = consoleClient(app, session, appId)
  const { data } = await calls.startTotp()
  const secret = fromBase32(data.secret)
  const code = () => codeAt(secret, stepOf(now))
  const { recoveryCodes } = (await calls.confirmTotp({ body: { code: code() } })).data
  return { email, id, session, calls, secret, code, recoveryCodes, uri: data.uri }
}

/** Two at the same time: both wait for the row of the person, and go on together. */
function heldBack<T>(id: number, call: () => Promise<T>): Promise<T[]> {
  const both = app.db.transaction().execute(async (held) => {
    await sql`select from collaborators where collaborator_id = ${id} for update`.execute(held)
    const calls = [call(), call()]
    const waiting = async () => {
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(app.db)
      return rows[0]?.count
    }
    await expect.poll(waiting, { timeout: 20_000 }).toBe(2)
    return { calls }
  })
  return both.then(({ calls }) => Promise.all(calls))
}

const refused = { code: 'AUTH_ERR_SESSION_NOT_FOUND', status: 401 }

describe('a password alone', () => {
  test('opens nothing but the way to a second factor', async () => {
    const { email } = await newPerson('alone')
    const calls = consoleClient(app, await sessionOf({ email, password }), appId)
    const { data } = await calls.getSession()
    expect(data).toMatchObject({
      email,
      mustEnrol: true,
      hasPassword: true,
      hasSecondFactor: false,
    })
    await expect(calls.listUsers()).rejects.toMatchObject({ code: 'AUTH_ERR_NO_ACCESS' })
    const early = calls.confirmTotp({ body: { code: '000000' } })
    await expect(early).rejects.toMatchObject({ code: 'ERR_SECOND_FACTOR_STATE' })
    const secret = fromBase32((await calls.startTotp()).data.secret)
    const wrong = codeAt(secret, stepOf(now) - 5)
    const confirmed = calls.confirmTotp({ body: { code: wrong } })
    await expect(confirmed).rejects.toMatchObject({ code: 'ERR_SIGN_IN_REFUSED' })
    await calls.confirmTotp({ body: { code: codeAt(secret, stepOf(now)) } })
    expect((await calls.listUsers()).data).toEqual([])
    const twice = calls.startTotp()
    await expect(twice).rejects.toMatchObject({ code: 'ERR_SECOND_FACTOR_STATE', status: 409 })
  })

  test('that is wrong is refused as an unknown address is, and too often for a while', async () => {
    const { email } = await newPerson('guessed')
    const codes = async (address: string) => {
      const answers = []
      for (let i = 0; i < 6; i++)
        answers.push(await signIn({ email: address, password: `no ${i}` }))
      return answers.map((answer) => errorOf(answer).code)
    }
    const wanted = [
      ...Array.from({ length: 5 }, () => 'ERR_SIGN_IN_REFUSED'),
      'ERR_TOO_MANY_REQUESTS',
    ]
    expect(await codes(email)).toEqual(wanted)
    expect(await codes('nobody@example.com')).toEqual(wanted)
    // Nor does the right one help, until the time is over.
    const locked = await signIn({ email, password })
    expect([locked.status, Number(locked.headers['retry-after'])]).toEqual([429, 900])
    now += 900
    await sessionOf({ email, password })
  })
})

describe('a second factor', () => {
  test('is asked for, and each code is good once', async () => {
    const { email, code, secret } = await enrolled('factor')
    expect(errorOf(await signIn({ email, password })).code).toBe('ERR_SECOND_FACTOR_NEEDED')
    // That of the enrolment.
    expect(errorOf(await signIn({ email, password, code: code() })).code).toBe(
      'ERR_SIGN_IN_REFUSED',
    )
    now += 30
    await sessionOf({ email, password, code: code() })
    expect(errorOf(await signIn({ email, password, code: code() })).code).toBe(
      'ERR_SIGN_IN_REFUSED',
    )
    const before = codeAt(secret, stepOf(now) - 1)
    expect(errorOf(await signIn({ email, password, code: before })).code).toBe(
      'ERR_SIGN_IN_REFUSED',
    )
    now += 90
    // A phone whose clock is half a minute late.
    await sessionOf({ email, password, code: codeAt(secret, stepOf(now) - 1) })
  })

  test('is replaced by each recovery code once', async () => {
    const { email, id, recoveryCodes } = await enrolled('lost')
    expect(new Set(recoveryCodes).size).toBe(10)
    const [code, second] = recoveryCodes
    await sessionOf({ email, password, code: code?.toLowerCase() })
    expect(errorOf(await signIn({ email, password, code })).code).toBe('ERR_SIGN_IN_REFUSED')
    const race = await heldBack(id, () => signIn({ email, password, code: second }))
    expect(race.map(({ status }) => status).toSorted()).toEqual([200, 401])
  })

  test('is not to be guessed: after five wrong codes the right one does not help', async () => {
    const { email, secret, code } = await enrolled('digits')
    now += 60
    const wrong = codeAt(secret, stepOf(now) + 9)
    const answers = []
    for (let nth = 0; nth < 5; nth++) answers.push(await signIn({ email, password, code: wrong }))
    expect(new Set(answers.map((answer) => errorOf(answer).code))).toEqual(
      new Set(['ERR_SIGN_IN_REFUSED']),
    )
    expect((await signIn({ email, password, code: code() })).status).toBe(429)
  })

  test('is told to authenticator apps as they read it', async () => {
    const { uri, secret, email } = await enrolled('reader')
    const { protocol, searchParams, pathname } = new URL(uri)
    expect([protocol, decodeURIComponent(pathname)]).toEqual(['otpauth:', `/Chorale:${email}`])
    expect(fromBase32(searchParams.get('secret') ?? '')).toEqual(secret)
  })
})

describe('a session', () => {
  test('is a cookie that scripts cannot read and other sites cannot send', async () => {
    const { email } = await newPerson('cookie')
    const cookie = cookieOf(await signIn({ email, password }))
    expect(cookie).toMatch(/^chorale=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
  })

  test('ends when it is not used, and when its time is over', async () => {
    const { calls } = await enrolled('idle')
    now += 3599
    await calls.getSession()
    now += 3600
    await expect(calls.getSession()).rejects.toMatchObject(refused)
    const other = await enrolled('busy')
    const until = now + 12 * 3600
    for (now += 3000; now < until; now += 3000) await other.calls.getSession()
    now = until
    await expect(other.calls.getSession()).rejects.toMatchObject(refused)
  })

  test('is listed and revoked: that one, all others, and no one else’s', async () => {
    const { email, calls, code, session } = await enrolled('lister')
    now += 30
    const second = consoleClient(app, await sessionOf({ email, password, code: code() }), appId)
    const { data } = await calls.listSessions()
    expect(data.map(({ current, method, address }) => [current, method, address])).toEqual([
      [false, 'password', '127.0.0.1'],
      [true, 'password', '127.0.0.1'],
    ])
    expect(JSON.stringify(data)).not.toContain(session)
    const stranger = await enrolled('stranger')
    const [other] = data
    const params = { sessionId: other?.id ?? '' }
    const theft = stranger.calls.revokeSession({ params })
    await expect(theft).rejects.toMatchObject({ code: 'ERR_SESSION_NOT_FOUND', status: 404 })
    await calls.revokeSession({ params })
    await expect(second.getSession()).rejects.toMatchObject(refused)
    now += 30
    const third = consoleClient(app, await sessionOf({ email, password, code: code() }), appId)
    await third.revokeSession({ params: { sessionId: 'others' } })
    await expect(calls.getSession()).rejects.toMatchObject(refused)
    await third.revokeSession({ params: { sessionId: 'current' } })
    await expect(third.getSession()).rejects.toMatchObject(refused)
  })

  test('ends when the password is changed elsewhere', async () => {
    const { email, calls, code } = await enrolled('changer')
    now += 30
    const second = consoleClient(app, await sessionOf({ email, password, code: code() }), appId)
    const newPassword = 'another long password'
    const wrong = second.changePassword({ body: { password: 'no', newPassword } })
    await expect(wrong).rejects.toMatchObject({ code: 'ERR_SIGN_IN_REFUSED', status: 401 })
    await second.changePassword({ body: { password, newPassword } })
    await expect(calls.getSession()).rejects.toMatchObject(refused)
    now += 30
    expect((await signIn({ email, password, code: code() })).status).toBe(401)
    await sessionOf({ email, password: newPassword, code: code() })
  })

  test('leaves a line in the audit log when it begins', async () => {
    const { email, id } = await newPerson('logged')
    await sessionOf({ email, password })
    const { data } = await app.as('full').listAuditLog({ query: { collaboratorId: id } })
    expect(data).toMatchObject([
      {
        operation: 'signIn',
        caller: `collaborator:${email}`,
        name: 'logged',
        address: '127.0.0.1',
      },
    ])
    expect(JSON.stringify(data)).not.toContain(password)
  })
})

describe('an attacker', () => {
  let victim: Awaited<ReturnType<typeof enrolled>>
  let good: Record<string, string>
  beforeAll(async () => {
    victim = await enrolled('victim')
    good = pageHeaders(victim.session)
  })
  const path = `/console/api/apps/${appId}/settings`
  const body = JSON.stringify({ settings: { 'messages.editWindowSeconds': 1 } })
  const post = (headers: Record<string, string>, to = path) =>
    send(origin, { method: 'POST', path: to, headers, body })

  test('who plants a session finds that another one was made (fixation)', async () => {
    const planted = await newPerson('planter')
    const before = await sessionOf({ email: planted.email, password })
    const { email } = await newPerson('planted')
    const after = await sessionOf({ email, password }, { ...fromPage, cookie: `chorale=${before}` })
    expect(after).not.toBe(before)
    await expect(consoleClient(app, before, appId).getSession()).rejects.toMatchObject(refused)
    // Two cookies of the name: one of them may be planted.
    const two = `chorale=${after}; chorale=${before}`
    expect(
      (await send(origin, { path: '/console/api/session', headers: { ...good, cookie: two } }))
        .status,
    ).toBe(401)
  })

  test.each([
    ['without the header of the console', { 'x-chorale-console': undefined }],
    ['from a page of another origin', { origin: 'https://evil.example' }],
    ['from a page of a neighbouring host', { 'sec-fetch-site': 'same-site' }],
    ['from a page of another site', { 'sec-fetch-site': 'cross-site', origin: undefined }],
    ['from a page that hides where it is', { origin: 'null' }],
    ['without a word where it comes from', { origin: undefined }],
  ])('cannot make a browser send a call %s (CSRF)', async (_, changes) => {
    const headers = Object.entries({ ...good, ...changes }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    )
    const answer = await post(Object.fromEntries(headers))
    expect([answer.status, errorOf(answer).code]).toEqual([403, 'AUTH_ERR_FOREIGN_PAGE'])
    note('mapAppSettings', errorOf(answer).code)
    const attempt = await signIn({ email: victim.email, password }, Object.fromEntries(headers))
    expect(errorOf(attempt).code).toBe('AUTH_ERR_FOREIGN_PAGE')
  })

  test.each([
    ['same-origin', 200],
    ['same-site', 403],
    ['cross-site', 403],
    ['none', 403],
    [undefined, 403],
  ])('can have a file saved by a link from a page that is %s only: %i', async (site, status) => {
    const { cookie = '' } = good
    const headers = { cookie, ...(site !== undefined && { 'sec-fetch-site': site }) }
    expect((await send(origin, { path: '/console/api/session', headers })).status).toBe(status)
    // To change something takes more than a link.
    expect((await post(headers)).status).toBe(403)
  })

  test('gets no leave to send it from elsewhere (preflight)', async () => {
    const answer = await send(origin, {
      method: 'OPTIONS',
      path,
      headers: {
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-chorale-console',
      },
    })
    expect(String(answer.headers['access-control-allow-headers'])).not.toMatch(/x-chorale-console/i)
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
  })

  test('has no use for a cookie where programs call, nor for a key where people do', async () => {
    const cookie = { ...good, appId }
    expect((await send(app.origin, { path: '/v3/users', headers: cookie })).status).toBe(401)
    expect((await send(origin, { path: `/apps/${appId}/settings`, headers: cookie })).status).toBe(
      401,
    )
    const { cookie: _, ...page } = good
    const keys = { ...page, ...app.management, appId, apikey: app.keys.full }
    expect((await send(origin, { path: '/console/api/apps', headers: keys })).status).toBe(401)
    expect((await send(origin, { path: '/console/api/v3/users', headers: keys })).status).toBe(401)
    // And the public listener has no console at all.
    expect((await send(app.origin, { path: '/console/api/session', headers: good })).status).toBe(
      404,
    )
  })

  test('with a stolen cookie of one app gets nowhere in another', async () => {
    expect((await post(good)).status).toBe(200)
    const other = await app.anotherApp()
    expect((await post(good, `/console/api/apps/${other.appId}/settings`)).status).toBe(403)
    const headers = { ...good, appId: other.appId }
    expect((await send(origin, { path: '/console/api/v3/users', headers })).status).toBe(403)
  })

  test('can put no answer into a frame (clickjacking)', async () => {
    // Answers, refusals, and what is not there.
    for (const to of [
      'api/session',
      'api/apps',
      'sign-in/methods',
      'sign-in/callback',
      'nothing',
    ]) {
      const { headers } = await send(origin, { path: `/console/${to}`, headers: good })
      expect(String(headers['content-security-policy'])).toContain("frame-ancestors 'none'")
      expect(headers['x-content-type-options']).toBe('nosniff')
    }
  })

  test('finds nothing in the cache of a browser', async () => {
    for (const to of ['api/session', `api/apps/${appId}/settings`, 'api/apps', 'sign-in/methods']) {
      const { headers } = await send(origin, { path: `/console/${to}`, headers: good })
      expect(headers['cache-control'], to).toBe('no-store')
    }
  })

  test('who knows the hash in the database cannot sign in with it', async () => {
    const { rows } = await sql<{ h: string }>`
      select encode(session_hash, 'base64') as h from collaborator_sessions limit 1`.execute(app.db)
    const calls = consoleClient(app, rows[0]?.h.replaceAll('=', '') ?? '', appId)
    await expect(calls.getSession()).rejects.toMatchObject(refused)
  })
})

test('what is no sign-in is refused with the field', async () => {
  expect((await signIn({})).status).toBe(400)
  expect(errorOf(await signIn({ email: 'x@example.com' })).details).toHaveProperty('password')
  expect((await signIn({ email: 'x@example.com', password: 'x'.repeat(301) })).status).toBe(400)
  const { text } = await send(origin, { path: '/console/sign-in/methods' })
  expect(JSON.parse(text)).toEqual({ data: { password: true } })
})
