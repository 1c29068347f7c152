import type { Api, OperationName } from '@chorale/contract/api'
import type { CollaboratorRole } from '@chorale/contract/apps'
import type { Client } from '@chorale/contract/operation'
import { restClient } from '@chorale/sdk'
import { openVault } from '../../../server/src/vault/vault.ts'
import { pageHeaders } from './console-page.ts'
import { newSession } from './console-session.ts'
import { note } from './contract-coverage.ts'
import type { TestApp } from './test-app.ts'

export interface Person {
  readonly id: number
  readonly email: string
  /** What the cookie holds. */
  readonly session: string
  readonly sessionId: string
  calls(appId: string): Client<Api>
}

let people = 0

/** Somebody who came from an OpenID provider, with a role in the app, or `'*'`: in the install. */
export async function signedIn(
  app: TestApp,
  roles: Readonly<Record<string, CollaboratorRole>>,
  now = Math.floor(Date.now() / 1000),
): Promise<Person> {
  const vault = openVault(Buffer.from(app.masterKey, 'base64'))
  const email = `person${++people}@example.com`
  const person = { email, name: `Person ${people}`, roles }
  const made = await newSession(app, vault, person, now)
  return { ...made, email, calls: (appId) => consoleClient(app, made.session, appId) }
}

/** The console's calls, with the cookie of a session. */
export function consoleClient(app: TestApp, session: string, appId: string): Client<Api> {
  const url = `${app.managementOrigin}/console/api`
  const client = restClient({
    baseUrl: `${url}/v3`,
    appId,
    management: { url, key: '', secret: '' },
    fetch: (address, init) =>
      fetch(address, { ...init, headers: { ...Object(init?.headers), ...pageHeaders(session) } }),
  })
  // A client has a function for each operation, and nothing else.
  const entries = Object.entries(client) as [OperationName, unknown][]
  const noted = entries.map(([name, call]) => [
    name,
    async (input: never) => {
      try {
        const answer = await (call as (input: never) => Promise<unknown>)(input)
        note(name, 'ok')
        return answer
      } catch (error) {
        note(name, String(Object(error).code))
        throw error
      }
    },
  ])
  // A function for each that the client has.
  return Object.fromEntries(noted) as Client<Api>
}
