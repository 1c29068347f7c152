// The server of your application: it answers `/login`, and serves the page.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { createServer as createVite } from 'vite'
import { findKeys, noKeys } from './keys.ts'
import { openLogin } from './login.ts'

const keys = findKeys()
if (!keys) stop(noKeys)
const { logIn, problem } = openLogin(keys)
const found = await problem()
if (found) stop(found)
const port = Number(process.env.PORT ?? 8080)

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
