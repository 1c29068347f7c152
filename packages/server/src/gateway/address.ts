import type { IncomingMessage } from 'node:http'
import type { Credentials } from '../pipeline/caller.ts'
import type { ClientAddress } from '../web/client-address.ts'

/** `{appId}.realtime-{region}.<host>`: the host name names the app, as that of the API does. */
const appHost = /^([a-z0-9]+)\.(?:realtime|api)-([a-z]+)\./i

const paths = new Set(['/v3', '/v3/realtime', '/v3.0', '/v3.0/realtime'])

export function isRealtime({ url = '' }: IncomingMessage): boolean {
  return paths.has(pathOf(url))
}

/** What a device says about itself, and where it says it from. */
export interface Claim {
  readonly credentials: Credentials
  readonly address: string
}

export function claimOf(clientAddress: ClientAddress, request: IncomingMessage): Claim {
  return { credentials: credentialsOf(request), address: clientAddress(request) }
}

/** Which app a device means: by host name, or by `appId` in a header or the address. */
function credentialsOf({ headers, url = '' }: IncomingMessage): Credentials {
  const [, appId, region] = appHost.exec(headers.host ?? '') ?? []
  const named = [headers.appid].flat()[0] || new URLSearchParams(url.split('?')[1]).get('appId')
  return {
    appId: (appId ?? named ?? undefined)?.toLowerCase(),
    region: region?.toLowerCase(),
    apiKey: undefined,
    authToken: undefined,
    onBehalfOf: undefined,
    managementKey: undefined,
    managementSecret: undefined,
  }
}

function pathOf(url: string): string {
  const path = url.split('?', 1)[0] ?? ''
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}
