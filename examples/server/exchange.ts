// JWKS_URL=... ISSUER=... AUDIENCE=... API_URL=... APP_ID=... API_KEY=... PORT=8081 node exchange.ts
import { createServer } from 'node:http'
import { createRemoteJWKSet, jwtVerify } from 'jose'

const { API_URL = 'http://localhost:3000/v3', APP_ID = '', API_KEY = '' } = process.env
const { JWKS_URL = '', ISSUER = '', AUDIENCE = '', PORT = '8081' } = process.env
const keys = createRemoteJWKSet(new URL(JWKS_URL))

/** Checks the JWT of your login and returns an auth token that ends when the JWT ends. */
async function exchange(jwt: string): Promise<string> {
  const { payload } = await jwtVerify(jwt, keys, { issuer: ISSUER, audience: AUDIENCE })
  const { sub = '', exp = 0 } = payload
  const lifetimeSeconds = Math.max(1, exp - Math.floor(Date.now() / 1000))
  const response = await fetch(`${API_URL}/users/${encodeURIComponent(sub)}/auth_tokens`, {
    method: 'POST',
    headers: { appId: APP_ID, apikey: API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ lifetimeSeconds }),
  })
  const { data, error } = await response.json()
  if (error) throw new Error(error.message)
  return data.authToken
}

createServer((request, response) => {
  const jwt = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
  exchange(jwt).then(
    (authToken) => response.end(JSON.stringify({ authToken })),
    () => response.writeHead(401).end(),
  )
}).listen(Number(PORT), '127.0.0.1', () => console.log(`listening on ${PORT}`))
