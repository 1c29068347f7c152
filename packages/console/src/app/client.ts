import { restClient, type ServerClient } from '@chorale/sdk'

export const consoleApi = '/console/api'

/** The service takes calls with a cookie only from pages that send this. */
export const ownHeader = { 'x-chorale-console': '1' }

const send: typeof fetch = (address, init) =>
  fetch(address, {
    ...init,
    headers: { ...Object(init?.headers), ...ownHeader },
    // Decisions, which are sent also when the person leaves the page.
    keepalive: init?.method === 'PATCH',
  })

const clients = new Map<string, ServerClient>()

/** The calls of the person who has signed in: in an app, or for '' those of no app. */
export function clientOf(appId: string): ServerClient {
  const known = clients.get(appId)
  if (known) return known
  const client = restClient({
    baseUrl: `${consoleApi}/v3`,
    ...(appId !== '' && { appId }),
    management: { url: consoleApi, key: '', secret: '' },
    fetch: send,
    timeoutMs: 30_000,
  })
  clients.set(appId, client)
  return client
}
