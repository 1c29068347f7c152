import { type Config, ConfigError } from '../config.ts'
import {
  openOpenId,
  readProviderRoles,
  type SessionRules,
  type SignInParts,
  signInByPassword,
} from '../domain/apps/collaborators/index.ts'
import type { SignIn } from '../http/sign-in.ts'
import { openTransactions } from '../outbox/unit-of-work.ts'
import type { AddressLimits } from '../pipeline/address-limits.ts'
import type { Credentials } from '../pipeline/caller.ts'
import type { Passwords } from '../vault/passwords.ts'
import type { Core } from './parts/core.ts'

export function sessionRulesOf(config: Config): SessionRules {
  return {
    idleSeconds: config.CONSOLE_IDLE_MINUTES * 60,
    absoluteSeconds: config.CONSOLE_SESSION_HOURS * 3600,
    secondFactor: config.CONSOLE_SECOND_FACTOR,
  }
}

/** Whoever signs in shows no other credentials: their refusals count for the address alone. */
const none: Credentials = {
  appId: undefined,
  region: undefined,
  apiKey: undefined,
  authToken: undefined,
  onBehalfOf: undefined,
  managementKey: undefined,
  managementSecret: undefined,
}

/** Undefined: there is no console. */
export function openConfiguredSignIn(
  core: Core,
  passwords: Passwords,
  limits: AddressLimits,
): SignIn | undefined {
  const { config, foreground, vault, clock, onCommit } = core
  const { CONSOLE_URL: url } = config
  if (url === '') return undefined
  const parts: SignInParts = {
    db: foreground,
    transactions: openTransactions({ begin: foreground.transaction, onCommit, clock }),
    vault,
    passwords,
    rules: sessionRulesOf(config),
    clock,
  }
  return {
    origin: originOf(url),
    byPassword:
      config.CONSOLE_PASSWORDS === 'off'
        ? undefined
        : (given, browser) =>
            limits.identify(browser.address, none, () => signInByPassword(parts, given, browser)),
    provider: providerOf(core, parts, originOf(url)),
  }
}

function providerOf(
  { config, egress, log }: Core,
  parts: SignInParts,
  origin: string,
): SignIn['provider'] {
  if (config.OIDC_ISSUER === '') return undefined
  const issuer = URL.parse(config.OIDC_ISSUER)
  const isSafe = issuer?.protocol === 'https:' || (issuer && config.EGRESS_HTTP)
  if (!isSafe) throw new ConfigError('OIDC_ISSUER must begin with https://.')
  if (config.OIDC_CLIENT_ID === '') throw new ConfigError('OIDC_ISSUER needs OIDC_CLIENT_ID.')
  const roles = readProviderRoles(config.OIDC_ROLES)
  if (!roles) {
    throw new ConfigError('OIDC_ROLES must look like group:admins=owner,domain:example.com=viewer.')
  }
  return openOpenId({
    ...parts,
    egress,
    log,
    issuer,
    name: config.OIDC_NAME,
    clientId: config.OIDC_CLIENT_ID,
    clientSecret: config.OIDC_CLIENT_SECRET,
    scopes: config.OIDC_SCOPES,
    groupsClaim: config.OIDC_GROUPS_CLAIM,
    roles,
    redirectUri: `${origin}/console/sign-in/callback`,
    insecure: config.EGRESS_HTTP,
  })
}

function originOf(url: string): string {
  const origin = URL.parse(url)?.origin
  if (origin === undefined) throw new ConfigError('CONSOLE_URL must look like https://host:port.')
  return origin
}
