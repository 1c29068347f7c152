// The server of your application: it logs people in, and serves the page.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { ChoraleError, restClient } from '@chorale/sdk'
import { createServer as createVite } from 'vite'
import { findKeys, noKeys } from './keys.ts'

const keys = findKeys()
if (!keys) stop(noKeys)
const { apiUrl, appId, apiKey } = keys
const port = Number(process.env.PORT ?? 8080)
const chorale = restClient({ baseUrl: apiUrl, appId, apiKey })
await chorale.listUsers({ query: { perPage: 1 } }).catch((error) => {
  if (error instanceof ChoraleError) stop(`Chorale at ${apiUrl} refuses the keys: ${error.message}`)
  stop(`Chorale does not answer at ${apiUrl}. Start it: npx chorale start`)
})

/** Here anybody is whom they say they are. Your application checks a password or a session first. */
async function logIn(uid: string) {
  await chorale.createUser({ body: { uid, name: uid } }).catch((error) => {
    if (error.code !== 'ERR_UID_ALREADY_EXISTS') throw error
  })
  const { data } = await chorale.createAuthToken({
    params: { uid },
    body: { lifetimeSeconds: 86_400 },
  })
  const url = `${apiUrl.replace(/^http/, 'ws')}/realtime`
  return { url, appId, authToken: data.authToken }
}

async function answerLogin(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!isFromThisPage(request)) return void response.writeHead(403).end('Use http://localhost.')
  try {
    const { uid } = JSON.parse(await text(request))
    const login = await logIn(uid)
    response.setHeader('content-type', 'application/json').end(JSON.stringify(login))
  } catch (error) {
    response.writeHead(400).end(error instanceof Error ? error.message : String(error))
  }
}

/** No page of another site logs in here, not even one whose name leads to this machine. */
function isFromThisPage({ headers: { origin, host = '' } }: IncomingMessage): boolean {
  return /^(?:localhost|127\.0\.0\.1)(?::\d+)?$/.test(host) && origin === `http://${host}`
}

function stop(reason: string): never {
  console.error(reason)
  process.exit(1)
}

const server = createServer((request, response) => {
  if (request.url === '/login' && request.method === 'POST') void answerLogin(request, response)
  else vite.middlewares(request, response)
})
const vite = await createVite({ server: { middlewareMode: true, ws: { server } } })
server.on('error', (error) => {
  stop(`${error.message}. Choose another port: PORT=${port + 1} npm start`)
})
server.listen(port, '127.0.0.1', () => console.log(`http://localhost:${port}`))
