import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { restClient } from '@chorale/sdk'

const { CHORALE = 'http://localhost:3000', APP_ID = '', API_KEY = '', PORT = '8080' } = process.env
const chorale = restClient({ baseUrl: `${CHORALE}/v3`, appId: APP_ID, apiKey: API_KEY })

/** Here anybody is whom they say they are. Yours asks for a password first. */
async function logIn(uid) {
  await chorale.createUser({ body: { uid, name: uid } }).catch((error) => {
    if (error.code !== 'ERR_UID_ALREADY_EXISTS') throw error
  })
  const { data } = await chorale.createAuthToken({ params: { uid }, body: {} })
  const url = `${CHORALE.replace('http', 'ws')}/v3/realtime`
  return { url, appId: APP_ID, authToken: data.authToken }
}

const sdk = new URL('./node_modules/@chorale/sdk/dist/', import.meta.url)

createServer(async ({ url = '' }, response) => {
  const { pathname, searchParams } = new URL(url, 'http://page')
  try {
    if (pathname === '/login') {
      response.end(JSON.stringify(await logIn(searchParams.get('uid') ?? '')))
    } else if (pathname.startsWith('/sdk/')) {
      response.setHeader('content-type', 'text/javascript')
      response.end(await readFile(new URL(pathname.slice('/sdk/'.length), sdk)))
    } else {
      response.setHeader('content-type', 'text/html')
      response.end(await readFile(new URL('index.html', import.meta.url)))
    }
  } catch (error) {
    response.writeHead(400).end(String(error))
  }
}).listen(Number(PORT), '127.0.0.1', () => console.log(`http://localhost:${PORT}/?me=ann&with=bob`))
