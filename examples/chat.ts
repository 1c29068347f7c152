// A device in the terminal: prints what happens, and sends a message if it is given one.
// APP_ID=... AUTH_TOKEN=... node examples/chat.ts [uid text]
import { connect } from '@chorale/sdk'

const {
  REALTIME_URL = 'ws://localhost:3000/v3/realtime',
  APP_ID = '',
  AUTH_TOKEN = '',
} = process.env
const session = connect({ url: REALTIME_URL, appId: APP_ID, authToken: AUTH_TOKEN })
session.on('connection', (now) => console.error(now.state))
session.on('message', ({ message }) => console.log(`${message.sender}: ${message.data.text}`))

const [receiver, text] = process.argv.slice(2)
if (receiver && text) {
  const { stored } = session.send({ receiver, receiverType: 'user', data: { text } })
  console.log(`stored as ${(await stored).id}`)
}
