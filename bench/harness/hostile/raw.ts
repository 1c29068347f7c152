import { connect, type Socket } from 'node:net'

/**
 * A connection from one of 60,000 addresses of the loopback network, as strangers come from many.
 * Errors are what an attacker expects.
 */
export function connectFrom(origin: string, nth: number): Socket {
  const { hostname, port } = new URL(origin)
  const localAddress = `127.${1 + ((nth >> 8) % 200)}.${nth & 255}.${1 + (nth % 250)}`
  return connect({ host: hostname, port: Number(port), localAddress }).on('error', () => undefined)
}

export function upgradeRequest(host: string, path: string): string {
  return (
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
    'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n'
  )
}

/** Calls `act` so many times a second until the time is up; what is late is not made up for. */
export async function paced(
  perSecond: number,
  until: number,
  act: (nth: number) => void,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let nth = 0
  let due = 0
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    due = Math.min(perSecond / 10, due + ((now - last) * perSecond) / 1000)
    last = now
    for (; due >= 1; due--) act(nth++)
    if (now < until) return
    clearInterval(timer)
    resolve()
  }, 10)
  await promise
}
