import type { Credentials } from '../pipeline/caller.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** `{appId}.api-{region}.<host>`, or `apiclient-`: the host name names the app. */
const appHost = /^([a-z0-9]+)\.api(?:client)?-([a-z]+)\./i
const managementHost = /^apimgmt\./i

export function isManagementHost(host: string | undefined): boolean {
  return managementHost.test(host ?? '')
}

export function credentialsOf(headers: Headers): Credentials {
  const [, appId, region] = appHost.exec(text(headers.host) ?? '') ?? []
  return {
    appId: (appId ?? text(headers.appid))?.toLowerCase(),
    region: region?.toLowerCase(),
    apiKey: text(headers.apikey),
    authToken: first(headers.authtoken),
    onBehalfOf: text(headers.onbehalfof)?.toLowerCase(),
    managementKey: text(headers.key),
    managementSecret: text(headers.secret),
  }
}

/** Empty is as good as absent. */
function text(value: string | string[] | undefined): string | undefined {
  return first(value) || undefined
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
