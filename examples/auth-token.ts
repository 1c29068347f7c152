// What the server of an application does when one of its users logs in: prints an auth token.
// APP_ID=... API_KEY=... node examples/auth-token.ts uid
import { restClient } from '@chorale/sdk'

const { API_URL = 'http://localhost:3000/v3', APP_ID = '', API_KEY = '' } = process.env
const [uid = ''] = process.argv.slice(2)
const { createAuthToken } = restClient({ baseUrl: API_URL, appId: APP_ID, apiKey: API_KEY })
const { data } = await createAuthToken({ params: { uid }, body: { force: true } })
console.log(data.authToken)
