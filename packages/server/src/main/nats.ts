import { accessSync, constants, readFileSync } from 'node:fs'
import {
  type Authenticator,
  credsAuthenticator,
  nkeyAuthenticator,
  type TlsOptions,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node'
import type { Logger } from 'pino'
import type { NatsAccess } from '../bus/bus.ts'
import type { StreamOptions } from '../bus/event-stream.ts'
import { type Config, ConfigError } from '../config.ts'
import type { NatsSecrets } from '../config-nats.ts'

/** Throws when the settings contradict each other, or would leave NATS open to its network. */
export function natsAccessOf(config: Config, log: Logger): NatsAccess {
  const addresses = addressesIn(config.NATS_URL)
  const tls = tlsOf(config, addresses)
  const authenticator = authenticatorOf(config, log)
  const open = !authenticator && config.NATS_CERT_FILE === '' && !config.NATS_ANONYMOUS
  const foreign = addresses.find(({ hostname }) => !isLoopback(hostname))
  if (open && foreign) {
    throw new ConfigError(
      `NATS_URL names ${foreign.hostname}, which is another machine, without credentials: whoever ` +
        'reaches it reads and forges what every app sends. Give it NATS_USER and NATS_PASSWORD or ' +
        'another credential (docs/settings.md), or say NATS_ANONYMOUS=true.',
    )
  }
  const servers = addresses.map(({ host }) => host)
  return { servers, ...(authenticator && { authenticator }), ...(tls && { tls }) }
}

export function streamOptions(config: Config): StreamOptions {
  return {
    prefix: config.NATS_PREFIX,
    hours: config.NATS_STREAM_HOURS,
    replicas: config.NATS_STREAM_REPLICAS,
  }
}

function addressesIn(list: string): URL[] {
  const addresses = list.split(',').map((address) => address.trim())
  return addresses.map((address) => {
    const url = URL.parse(/^\w+:\/\//.test(address) ? address : `nats://${address}`)
    if (url?.hostname && /^(nats|tls):$/.test(url.protocol)) return url
    throw new ConfigError('NATS_URL is not an address like nats://host:4222, or several of them.')
  })
}

/** The client reads these files at every connection; `tls://` alone trusts the well-known authorities. */
function tlsOf(config: Config, addresses: readonly URL[]): TlsOptions | undefined {
  const { NATS_CA_FILE, NATS_CERT_FILE, NATS_KEY_FILE } = config
  if ((NATS_CERT_FILE === '') !== (NATS_KEY_FILE === '')) {
    throw new ConfigError('NATS_CERT_FILE and NATS_KEY_FILE go together: give both, or neither.')
  }
  const files = { NATS_CA_FILE, NATS_CERT_FILE, NATS_KEY_FILE }
  const given = Object.entries(files).filter(([, path]) => path !== '')
  for (const [name, path] of given) requireReadable(name, path)
  if (given.length === 0 && addresses.every(({ protocol }) => protocol !== 'tls:')) return undefined
  return {
    ...(NATS_CA_FILE && { caFile: NATS_CA_FILE }),
    ...(NATS_CERT_FILE && { certFile: NATS_CERT_FILE, keyFile: NATS_KEY_FILE }),
  }
}

function requireReadable(name: string, path: string): void {
  try {
    accessSync(path, constants.R_OK)
  } catch {
    throw new ConfigError(`${name} points to ${path}, which cannot be read.`)
  }
}

/**
 * Asked at every connection, and reads the files again then: an operator who changes them and then
 * takes the old credentials away needs no restart. While they cannot be read, the last ones hold.
 */
function authenticatorOf(config: Config, log: Logger): Authenticator | undefined {
  const read = () => credentialsIn(config.natsSecrets(), config.NATS_CREDS_FILE)
  let last = read()
  if (!last) return undefined
  return (nonce) => {
    try {
      last = read() ?? last
    } catch (error) {
      log.warn(
        { err: error },
        'could not read the NATS credentials file; using the previous credentials',
      )
    }
    return last?.(nonce)
  }
}

function credentialsIn(secrets: NatsSecrets, credsFile: string): Authenticator | undefined {
  const { NATS_NKEY_SEED: seed, NATS_TOKEN, NATS_USER, NATS_PASSWORD } = secrets
  const url = credentialsInUrl(secrets.NATS_URL)
  const token = NATS_TOKEN || url?.token
  const user = NATS_USER || url?.user
  const kinds = [NATS_TOKEN, NATS_USER, url, seed, credsFile].filter(Boolean)
  if (kinds.length > 1) {
    throw new ConfigError(
      'There are several credentials for NATS: give one of a user, a token, an nkey and a creds file, ' +
        'and give it once.',
    )
  }
  if (token) return tokenAuthenticator(token)
  if (user) return usernamePasswordAuthenticator(user, NATS_PASSWORD || url?.password)
  if (NATS_PASSWORD) throw new ConfigError('NATS_PASSWORD is set, and NATS_USER is not.')
  if (seed) return tried('NATS_NKEY_SEED', nkeyAuthenticator(Buffer.from(seed)))
  if (credsFile === '') return undefined
  requireReadable('NATS_CREDS_FILE', credsFile)
  return tried('NATS_CREDS_FILE', credsAuthenticator(readFileSync(credsFile)))
}

/** Of all addresses one, or each the same; a name without a password is a token, as elsewhere at NATS. */
function credentialsInUrl(list: string) {
  const given = addressesIn(list).filter(({ username }) => username !== '')
  const [first] = given
  if (!first) return undefined
  if (given.some((url) => url.username !== first.username || url.password !== first.password)) {
    throw new ConfigError('NATS_URL has different credentials for its addresses: give one.')
  }
  const name = decodeURIComponent(first.username)
  if (first.password === '') return { token: name }
  return { user: name, password: decodeURIComponent(first.password) }
}

/** A seed is looked at only when it signs; one that cannot is better known at start. */
function tried(name: string, authenticator: Authenticator): Authenticator {
  try {
    authenticator('nonce')
    return authenticator
  } catch {
    throw new ConfigError(`${name} does not hold credentials for NATS.`)
  }
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i.test(hostname)
}
