// Two people in two windows: http://localhost:5173/?uid=ines&with=tom, and the other way round.
// `npm start` makes these two, and prints the id of their app and its key:
// APP_ID=... API_KEY=... node examples/page/serve.ts
import { restClient } from '@chorale/sdk'
import { createServer } from 'vite'

const {
  API_URL = 'http://localhost:3000/v3',
  REALTIME_URL = 'ws://localhost:3000/v3/realtime',
  APP_ID = '',
  API_KEY = '',
  PAGE_PORT = '5173',
} = process.env
const { createAuthToken } = restClient({ baseUrl: API_URL, appId: APP_ID, apiKey: API_KEY })

/** Here anybody is whom they say they are; yours asks for a password first. The key stays here. */
async function login(uid: string) {
  const { data } = await createAuthToken({ params: { uid }, body: { force: true } })
  return { url: REALTIME_URL, appId: APP_ID, authToken: data.authToken }
}

const server = await createServer({
  root: import.meta.dirname,
  configFile: false,
  logLevel: 'warn',
  server: { port: Number(PAGE_PORT), host: '127.0.0.1', ws: false },
  plugins: [
    {
      name: 'login',
      configureServer({ middlewares }) {
        // Vite's own script reloads a page that was offline, and complains where it cannot connect.
        middlewares.use('/@vite/client', (_, response) => {
          response.setHeader('Content-Type', 'text/javascript').end()
        })
        middlewares.use('/login', (request, response) => {
          const uid = new URL(request.url ?? '', 'http://page').searchParams.get('uid') ?? ''
          login(uid).then(
            (options) => response.end(JSON.stringify(options)),
            (error) => response.writeHead(403).end(String(error)),
          )
        })
      },
    },
  ],
})
await server.listen()
console.log(server.resolvedUrls?.local[0])
