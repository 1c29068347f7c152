import * as client from 'openid-client'
import { Failure } from '../../../pipeline/failure.ts'
import type { SealedPlace } from '../../../vault/vault.ts'
import { fetchThrough } from './openid-fetch.ts'
import type { OpenIdParts } from './openid-parts.ts'
import { type Claims, letIn } from './openid-people.ts'
import type { Browser } from './sign-in.ts'

export { readProviderRoles } from './openid-people.ts'

/** What is kept in a sealed cookie while the person is at the provider. */
interface Kept {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly returnTo: string
  readonly until: number
}

const place: SealedPlace = { appId: '', table: 'collaborator_sessions', field: 'openid', row: '' }
const keptSeconds = 600
/** Keys and addresses of the provider are asked for again after so long. */
const rememberSeconds = 3600

/** Sign-in by OpenID Connect: authorization code with PKCE, state and nonce. */
export function openOpenId(parts: OpenIdParts) {
  const { vault, clock, log } = parts
  const provider = openProvider(parts)
  const told = async <T>(requestId: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof Failure) throw error
      log.warn({ err: error, requestId }, 'signing in by the OpenID provider has failed')
      throw new Failure('ERR_PROVIDER_FAILED')
    }
  }
  return {
    name: parts.name,

    begin: (returnTo: string) =>
      told('', async () => {
        const kept: Kept = {
          state: client.randomState(),
          nonce: client.randomNonce(),
          verifier: client.randomPKCECodeVerifier(),
          returnTo,
          until: clock() + keptSeconds,
        }
        const url = client.buildAuthorizationUrl(await provider(), {
          redirect_uri: parts.redirectUri,
          scope: parts.scopes,
          state: kept.state,
          nonce: kept.nonce,
          code_challenge: await client.calculatePKCECodeChallenge(kept.verifier),
          code_challenge_method: 'S256',
        })
        const sealed = vault.seal(JSON.stringify(kept), place)
        return { url: url.href, kept: sealed.toString('base64url') }
      }),

    finish: (url: URL, sealed: string, browser: Browser) =>
      told(browser.requestId, async () => {
        // Sealed by us, so it is what `begin` has written.
        const kept = JSON.parse(vault.open(Buffer.from(sealed, 'base64url'), place)) as Kept
        if (kept.until <= clock()) throw new Failure('ERR_SIGN_IN_REFUSED')
        const claims = await claimsOf(
          await provider(),
          new URL(url.search, parts.redirectUri),
          kept,
        )
        const { session } = await letIn(parts, claims, browser)
        return { session, returnTo: kept.returnTo }
      }),
  }
}

async function claimsOf(config: client.Configuration, url: URL, kept: Kept): Promise<Claims> {
  const tokens = await client.authorizationCodeGrant(config, url, {
    expectedState: kept.state,
    expectedNonce: kept.nonce,
    pkceCodeVerifier: kept.verifier,
    idTokenExpected: true,
  })
  const inToken = tokens.claims()
  if (!inToken) throw new Error('The provider has sent no ID token.')
  const { userinfo_endpoint: more } = config.serverMetadata()
  // Many providers keep e-mail addresses and groups out of the token.
  const info = more && (await client.fetchUserInfo(config, tokens.access_token, inToken.sub))
  return { ...info, ...inToken }
}

function openProvider(parts: OpenIdParts): () => Promise<client.Configuration> {
  const { issuer, clientId, clientSecret, insecure, clock } = parts
  let known: { readonly config: Promise<client.Configuration>; readonly until: number } | undefined
  const discover = () =>
    client.discovery(
      issuer,
      clientId,
      undefined,
      clientSecret === '' ? client.None() : client.ClientSecretBasic(clientSecret),
      {
        [client.customFetch]: fetchThrough(parts.egress),
        ...(insecure && { execute: [client.allowInsecureRequests] }),
      },
    )
  return async () => {
    if (!known || known.until <= clock()) {
      known = { config: discover(), until: clock() + rememberSeconds }
    }
    try {
      return await known.config
    } catch (error) {
      known = undefined
      throw error
    }
  }
}
