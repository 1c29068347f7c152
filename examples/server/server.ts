// API_URL=... APP_ID=... API_KEY=... node server.ts
const { API_URL = 'http://localhost:3000/v3', APP_ID = '', API_KEY = '' } = process.env

async function chorale(method: string, path: string, body?: object) {
  const response = await fetch(API_URL + path, {
    method,
    headers: { appId: APP_ID, apikey: API_KEY, 'content-type': 'application/json' },
    body: body ? JSON.stringify(body) : null,
    signal: AbortSignal.timeout(10_000),
  })
  const answer = await response.json()
  if (!response.ok) throw Object.assign(new Error(answer.error.message), answer.error)
  return answer.data
}

/** When somebody signs up. Called again, it changes nothing. */
async function signUp(uid: string, name: string): Promise<void> {
  try {
    await chorale('POST', '/users', { uid, name })
  } catch (error) {
    if (Object(error).code !== 'ERR_UID_ALREADY_EXISTS') throw error
  }
}

/** When somebody has logged in: the token for their page or app. */
async function logIn(uid: string): Promise<string> {
  const token = await chorale('POST', `/users/${uid}/auth_tokens`, { lifetimeSeconds: 86_400 })
  return token.authToken
}

await signUp('ann', 'Ann')
await signUp('bob', 'Bob')
await signUp('ann', 'Ann')
console.log('token', await logIn('ann'))
const team = { guid: 'team', name: 'Team', type: 'private' }
await chorale('POST', '/groups', { ...team, members: { admins: ['ann'], participants: ['bob'] } })
await chorale('POST', '/messages', {
  receiver: 'team',
  receiverType: 'group',
  category: 'message',
  type: 'text',
  data: { text: 'Welcome, both of you.' },
})
const messages = await chorale('GET', '/groups/team/messages?categories=message')
for (const message of messages) console.log(`${message.sender}: ${message.data.text}`)
