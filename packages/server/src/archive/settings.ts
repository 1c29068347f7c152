import { PlainError } from '../plain-error.ts'

/** The settings of an app are read and set with a management key. */
export interface Management {
  /** Of the management API. */
  readonly url: string
  readonly key: string
  readonly secret: string
}

type Settings = Readonly<Record<string, unknown>>

export async function readSettings(management: Management, appId: string): Promise<Settings> {
  return call(management, appId, 'GET')
}

/** Names that were refused. */
export async function writeSettings(
  management: Management,
  appId: string,
  settings: Settings,
): Promise<string[]> {
  const outcomes = await call(management, appId, 'POST', { settings })
  return Object.entries(outcomes).flatMap(([name, outcome]) =>
    Object(outcome).success === true ? [] : [name],
  )
}

async function call(
  { url, key, secret }: Management,
  appId: string,
  method: string,
  body?: object,
): Promise<Settings> {
  const address = `${url.replace(/\/+$/, '')}/apps/${appId}/settings`
  const response = await fetch(address, {
    method,
    headers: { key, secret, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  })
  if (!response.ok) throw new PlainError(`${method} ${address} was refused: ${response.status}`)
  const answer: { readonly data: Settings } = await response.json()
  return answer.data
}
