import { afterAll, expect, test } from 'vitest'
import { errorOf, send } from '../../../testing/src/network/wire.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'
import { hashPassword, insertPerson, setRoleInApp } from '../domain/apps/collaborators/index.ts'
import { openPasswords } from '../vault/passwords.ts'

const consoleUrl = 'https://chat.example.com'
const settings = { CONSOLE_URL: consoleUrl, CONSOLE_SECOND_FACTOR: 'optional' }
const app = await startTestApp({ shadow: false, live: { settings } })
afterAll(() => app[Symbol.asyncDispose]())
const { managementOrigin: origin } = app
const [email, password] = ['ada@example.com', 'correct horse battery']
const page = { origin: consoleUrl, 'x-chorale-console': '1' }

async function signIn(headers: Record<string, string> = page) {
  const body = JSON.stringify({ email, password })
  return await send(origin, { method: 'POST', path: '/console/sign-in', headers, body })
}

async function statusWith(cookie: string): Promise<number> {
  const headers = { ...page, cookie }
  return (await send(origin, { path: '/console/api/session', headers })).status
}

test('over https the cookie is of this host and of TLS alone', async () => {
  const passwordHash = await hashPassword(openPasswords(1), password)
  const id = await insertPerson(app, { email, name: 'Ada', passwordHash, createdAt: 0 })
  await setRoleInApp(app, Number(id), 'owner', 0)
  const answer = await signIn()
  expect(answer.status, answer.text).toBe(200)
  const [cookie = '', ...more] = answer.headers['set-cookie'] ?? []
  // What `__Host-` demands of a cookie: Secure, the path /, and no domain.
  expect(cookie).toMatch(/^__Host-chorale=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
  expect(more).toEqual([])
  const session = /=([^;]+)/.exec(cookie)?.[1]
  expect(await statusWith(`__Host-chorale=${session}`)).toBe(200)
  // A page of a neighbouring host, or without TLS, can plant these.
  expect(await statusWith(`chorale=${session}`)).toBe(401)
  expect(await statusWith(`__Host-chorale=x; __Host-chorale=${session}`)).toBe(401)
})

test('a page that came without TLS is a foreign page', async () => {
  const answer = await signIn({ ...page, origin: 'http://chat.example.com' })
  expect(errorOf(answer).code).toBe('AUTH_ERR_FOREIGN_PAGE')
})
