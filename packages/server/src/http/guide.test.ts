import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, expect, test } from 'vitest'
import { fencesOf } from '../../../../tools/docs/markdown.ts'
import { root } from '../../../../tools/tree.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'
import { freePort } from '../main/start/free-port.ts'

// What the pages for app developers tell their readers to do.

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())

// They bring interpreters along, onto a machine that may be busy.
const patient = { timeout: 240_000 }

/** An app of its own, as a reader has one. */
async function values() {
  const { appId, full } = await app.anotherApp()
  return {
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    API_URL: `${app.origin}/v3`,
    APP_ID: appId,
    API_KEY: full,
    MANAGEMENT_URL: app.managementOrigin,
    KEY: app.management.key,
    SECRET: app.management.secret,
  }
}

async function run(program: string, args: readonly string[]) {
  const env = await values()
  return await new Promise<{ code: unknown; output: string }>((resolve) => {
    execFile(program, args, { env }, (error, stdout, stderr) => {
      resolve({ code: error ? (error.code ?? error.signal) : 0, output: stdout + stderr })
    })
  })
}

test.concurrent.each([
  [process.execPath, 'server.ts'],
  ['python3', 'server.py'],
  ['php', 'server.php'],
])('%s runs examples/server/%s', patient, async (program, file) => {
  const { code, output } = await run(program, [join(root, 'examples/server', file)])
  expect(code, output).toBe(0)
  expect(output).toMatch(/^token ann_\w+\napp_system: Welcome, both of you.\n$/)
})

const folder = join(root, 'docs/develop')
const commandsOf = (page: string) =>
  fencesOf(readFileSync(join(folder, page), 'utf8'))
    .filter(({ mark }) => mark === 'run')
    .map(({ code }) => code)
const pages = [...readdirSync(folder), '../data-rights.md'].filter(
  (page) => commandsOf(page).length > 0,
)

test.concurrent.each(pages)('the commands of docs/develop/%s work', patient, async (page) => {
  const script = ['set -eu', ...commandsOf(page)].join('\n')
  const { code, output } = await run('bash', ['-c', script])
  expect(code, output).toBe(0)
  if (page === 'moderation.md') expect(output).toContain('"disapproved"')
})

test('a JWT that the keys of the login have signed is exchanged for an auth token', async () => {
  await using stack = new AsyncDisposableStack()
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwks = JSON.stringify({ keys: [await exportJWK(publicKey)] })
  const login = createServer((_, response) => response.end(jwks))
  login.listen(0, '127.0.0.1')
  await once(login, 'listening')
  stack.defer(() => void login.close())
  const port = await freePort()
  const env = {
    ...(await values()),
    JWKS_URL: `http://127.0.0.1:${Object(login.address()).port}`,
    ISSUER: 'login',
    AUDIENCE: 'chat',
    PORT: String(port),
  }
  const headers = { appId: env.APP_ID, apikey: env.API_KEY, 'content-type': 'application/json' }
  const body = JSON.stringify({ uid: 'ann', name: 'Ann' })
  await fetch(`${env.API_URL}/users`, { method: 'POST', headers, body })
  const child = spawn(process.execPath, [join(root, 'examples/server/exchange.ts')], { env })
  stack.defer(() => void child.kill())
  await once(createInterface(child.stdout), 'line')

  const exchange = async (audience: string) => {
    const jwt = await new SignJWT({ sub: 'ann', iss: 'login', aud: audience })
      .setProtectedHeader({ alg: 'ES256' })
      .setExpirationTime('1h')
      .sign(privateKey)
    const authorization = `Bearer ${jwt}`
    return fetch(`http://127.0.0.1:${port}/`, { headers: { authorization } })
  }
  expect((await exchange('elsewhere')).status).toBe(401)
  const { authToken } = await (await exchange('chat')).json()
  const me = await fetch(`${env.API_URL}/me`, { headers: { appId: env.APP_ID, authToken } })
  expect(await me.json()).toMatchObject({ data: { uid: 'ann' } })
})
