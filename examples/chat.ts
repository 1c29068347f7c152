// A device in the terminal: prints what happens, and sends a message if it is given one.
// APP_ID=... AUTH_TOKEN=... node examples/chat.ts [uid text]
import { connect, type Entry } from '@chorale/sdk'

const {
  REALTIME_URL = 'ws://localhost:3000/v3/realtime',
  APP_ID = '',
  AUTH_TOKEN = '',
} = process.env
const session = connect({ url: REALTIME_URL, appId: APP_ID, authToken: AUTH_TOKEN })
session.on('connection', (now) => console.error(now.state))
session.on('message', ({ message }) => {
  // Edits and deletions are entries too; what became of the message comes as `changed`.
  if (message.category !== 'action') console.log(lineOf(message))
})
session.on('changed', ({ message }) => console.log(`changed: ${lineOf(message)}`))

function lineOf({ sender, type, data, deletedAt }: Entry['message']): string {
  return `${sender}: ${deletedAt === undefined ? (data.text ?? `(${type})`) : '(deleted)'}`
}

const [receiver, text] = process.argv.slice(2)
if (receiver && text) {
  const { stored } = session.send({ receiver, receiverType: 'user', data: { text } })
  console.log(`stored as ${(await stored).id}`)
}
