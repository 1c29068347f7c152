import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { send, type WireAnswer } from '../network/wire.ts'

const path = fileURLToPath(new URL('./openid-process.ts', import.meta.url))

export interface OpenIdProvider extends AsyncDisposable {
  readonly issuer: string
  /** Signs in there as the account, and agrees; where the browser is sent in the end. */
  signIn(url: string, account: string): Promise<string>
  /** From now on the account is in these groups. */
  setGroups(account: string, groups: readonly string[]): Promise<void>
}

export async function startOpenIdProvider(
  redirectUri: string,
  clientId: string,
  clientSecret: string,
): Promise<OpenIdProvider> {
  const child = fork(path, [redirectUri, clientId, clientSecret], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  const [{ issuer }] = (await once(child, 'message')) as [{ issuer: string }]
  return {
    issuer,
    signIn: (url, account) => walk(issuer, url, account),
    async setGroups(account, groups) {
      const done = once(child, 'message')
      child.send({ account, groups })
      await done
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

const maxSteps = 20

/** As a browser does: follows redirects, keeps cookies, sends the forms for sign-in and consent. */
async function walk(issuer: string, url: string, account: string): Promise<string> {
  const cookies = new Map<string, string>()
  let form: Record<string, string> | undefined
  let at = url
  for (let step = 0; step < maxSteps && at.startsWith(issuer); step++) {
    const answer = await visit(at, cookies, form)
    const { location } = answer.headers
    form = undefined
    if (typeof location === 'string') {
      at = new URL(location, at).href
      continue
    }
    const prompt = /name="prompt" value="(\w+)"/.exec(answer.text)?.[1]
    if (prompt === undefined) throw new Error(`${answer.status}: ${answer.text}`)
    form = { prompt, login: account, password: 'any' }
  }
  return at
}

async function visit(
  at: string,
  cookies: Map<string, string>,
  form: Record<string, string> | undefined,
): Promise<WireAnswer> {
  const { origin, pathname, search } = new URL(at)
  const answer = await send(origin, {
    method: form ? 'POST' : 'GET',
    path: pathname + search,
    headers: {
      cookie: Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; '),
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    body: form && new URLSearchParams(form).toString(),
  })
  for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    cookies.set(name, value)
  }
  return answer
}
