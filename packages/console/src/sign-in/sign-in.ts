import { ChoraleError } from '@chorale/sdk'
import { ownHeader } from '../app/client.ts'

const path = '/console/sign-in'

export interface Methods {
  readonly password: boolean
  readonly provider?: { readonly name: string; readonly path: string }
}

/** These two are no operations of the contract: they come before anybody is known. */
export async function signInMethods(): Promise<Methods> {
  return answerOf(await fetch(`${path}/methods`, { headers: ownHeader }))
}

export interface Credentials {
  readonly email: string
  readonly password: string
  readonly code?: string
}

export async function signInByPassword(credentials: Credentials): Promise<void> {
  const headers = { ...ownHeader, 'content-type': 'application/json' }
  const body = JSON.stringify(credentials)
  await answerOf(await fetch(path, { method: 'POST', headers, body }))
}

async function answerOf<T>(response: Response): Promise<T> {
  const { data, error } = await response.json()
  if (!response.ok) throw new ChoraleError(response.status, error)
  return data
}
