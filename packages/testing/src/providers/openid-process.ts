import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

// An OpenID provider in a process of its own. Whoever signs in says who they are: the account is the
// e-mail address, `!` before it says that it is not verified, and groups come behind a `+`. The parent
// can change the groups of an account later.

const [, , redirectUri = '', clientId = '', clientSecret = ''] = process.argv

const changedGroups = new Map<string, readonly string[]>()

function claimsOf(sub: string) {
  const [address = '', ...first] = sub.replace(/^!/, '').split('+')
  const verified = !sub.startsWith('!')
  const groups = changedGroups.get(sub) ?? first
  return { sub, email: address, email_verified: verified, name: 'Nora at the provider', groups }
}

const server = createServer((request, response) => provider.callback()(request, response))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
// It listens on a port, so it has one.
const { port } = server.address() as AddressInfo
const issuer = `http://127.0.0.1:${port}`
const provider = new Provider(issuer, {
  clients: [
    {
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'client_secret_basic',
    },
  ],
  pkce: { required: () => true },
  scopes: ['openid', 'email', 'profile', 'groups'],
  claims: { email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
  cookies: { keys: ['for tests'] },
  findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => claimsOf(id) }),
})
process.on('message', ({ account, groups }: { account: string; groups: readonly string[] }) => {
  changedGroups.set(account, groups)
  process.send?.({ changed: account })
})
process.send?.({ issuer })
process.once('disconnect', () => process.exit())
