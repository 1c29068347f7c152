import type { Socket } from 'node:net'
import type { Attack, Tally } from './orders.ts'
import { connectFrom, paced, upgradeRequest } from './raw.ts'

const slowBodies = 100
const resetsPerSecond = 20
const largeHeadersPerSecond = 50
const opensPerSecond = 300

type Strangers = Extract<Attack, { by: 'strangers' }>

/** Everything that somebody without a credential can do, at once. */
export async function attackAsStrangers(
  origin: string,
  seconds: number,
  { sockets, wrongKeysPerSecond }: Strangers,
): Promise<Tally> {
  const { host } = new URL(origin)
  const until = performance.now() + seconds * 1000
  const tally: Record<string, number> = {}
  const count = (what: string) => {
    tally[what] = (tally[what] ?? 0) + 1
  }
  const open = new Set<Socket>()
  const keep = (socket: Socket, most: number): boolean => {
    if (open.size >= most) {
      socket.destroy()
      return false
    }
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    return true
  }

  const idleSockets = paced(opensPerSecond, until, (nth) => {
    if (open.size >= sockets) return
    const socket = connectFrom(origin, nth)
    keep(socket, sockets)
    socket.once('data', (answer) => count(`socket ${answer.toString('latin1', 9, 12)}`))
    socket.write(upgradeRequest(host, '/v3?appId=nobody'))
    // A frame that says 4,000 bytes and brings one.
    socket.write(Buffer.of(0x81, 0xfe, 0x0f, 0xa0, 0, 0, 0, 0, 0x7b))
  })

  const wrongKeys = paced(wrongKeysPerSecond, until, (nth) => {
    const socket = connectFrom(origin, nth % 5000)
    socket.once('data', (answer) => {
      count(`wrong key ${answer.toString('latin1', 9, 12)}`)
      socket.destroy()
    })
    socket.setTimeout(10_000, () => socket.destroy())
    socket.write(
      `GET /v3/users HTTP/1.1\r\nHost: ${host}\r\nappId: nobody${nth % 1000}\r\n` +
        `apikey: ${crypto.randomUUID().replaceAll('-', '')}\r\n\r\n`,
    )
  })

  const largeHeaders = paced(largeHeadersPerSecond, until, (nth) => {
    const socket = connectFrom(origin, nth)
    socket.once('data', (answer) => {
      count(`15 KB header ${answer.toString('latin1', 9, 12)}`)
      socket.destroy()
    })
    socket.setTimeout(10_000, () => socket.destroy())
    const key = `${nth}-`.repeat(5000).slice(0, 15_000)
    socket.write(
      `GET /v3/users HTTP/1.1\r\nHost: ${host}\r\nappId: nobody\r\napikey: ${key}\r\n\r\n`,
    )
  })

  const resets = paced(resetsPerSecond, until, (nth) => {
    const socket = connectFrom(origin, nth)
    socket.once('connect', () => {
      count('reset')
      socket.write(upgradeRequest(host, nth % 2 === 0 ? '/nope' : '/v3'))
      setTimeout(() => socket.resetAndDestroy(), nth % 5)
    })
  })

  const slow = new Set<Socket>()
  const trickle = paced(slowBodies, until, (nth) => {
    for (const socket of slow) if (nth % 10 === 0) socket.write('x')
    if (slow.size >= slowBodies) return
    const socket = connectFrom(origin, nth)
    slow.add(socket)
    socket.once('close', () => slow.delete(socket))
    socket.once('data', (answer) => count(`slow body ${answer.toString('latin1', 9, 12)}`))
    socket.write(
      `POST /v3/messages HTTP/1.1\r\nHost: ${host}\r\nappId: nobody\r\napikey: ${'a'.repeat(40)}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"text":"',
    )
  })

  await Promise.all([idleSockets, wrongKeys, largeHeaders, resets, trickle])
  for (const socket of [...open, ...slow]) socket.destroy()
  return tally
}
