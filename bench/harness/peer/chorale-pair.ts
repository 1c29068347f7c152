import { openHttpConnection } from '../http-connection.ts'
import { openRawDevice } from '../raw-device.ts'
import { deviceRequests } from '../sends.ts'
import { numberLength, type Pair } from './pair.ts'
import type { DevicePair, Devices, Login } from './pairs.ts'

type Chorale = Extract<Devices, { at: 'chorale' }>

/** Before the text of a message, in its frame. */
const mark = '"text":"'

/** Both have a socket at the gateway, as devices do; the sender sends over REST. */
export async function openChoralePair(
  chorale: Chorale,
  { sender, receiver }: DevicePair,
  hear: (nth: number) => void,
): Promise<Pair> {
  await openSocket(chorale, receiver, (bytes, start, end) => {
    const at = bytes.subarray(start, end).indexOf(mark, 0, 'latin1')
    if (at < 0) return
    const from = start + at + mark.length
    hear(Number(bytes.toString('latin1', from, from + numberLength)))
  })
  // It is shown its own messages.
  await openSocket(chorale, sender, () => undefined)
  const connection = await openHttpConnection(chorale.origin)
  const request = deviceRequests(chorale, sender.secret, receiver.name)
  return {
    async send(says) {
      const { status, body } = await connection.exchange(request(says))
      if (status !== 200) throw new Error(`A send was answered with ${status}: ${body}`)
    },
  }
}

async function openSocket(
  { origin, appId }: Chorale,
  { secret: authToken }: Login,
  onFrame: (bytes: Buffer, start: number, end: number) => void,
): Promise<void> {
  const auth = JSON.stringify({ type: 'auth', authToken })
  await openRawDevice({ origin, appId, auth, onFrame, onClosed: () => process.exit(3) })
}
