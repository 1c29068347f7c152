import { startFcmProvider } from '../../packages/testing/src/providers/fcm.ts'
import type { GoogleOrder } from './google.ts'

// FCM with its phones; answers each order with one message.

const google = await startFcmProvider()
const account = google.account()
const tokens: string[] = []
let asked = 0
let lastAtMs = 0
let onAsked = () => {}
google.server.failNowAndThen(({ path }) => {
  if (path === '/token') return undefined
  asked += 1
  lastAtMs = Date.now()
  // When it has been answered.
  setImmediate(() => onAsked())
  return undefined
})

/** Resolves when so many were shown, on one phone or on all together. */
async function shown(count: number, phone: string | undefined): Promise<number> {
  const enough = () => (phone === undefined ? asked : google.screens.on(phone).length) >= count
  while (!enough()) {
    await new Promise<void>((resolve) => {
      onAsked = resolve
    })
  }
  return lastAtMs
}

async function obey(order: GoogleOrder): Promise<unknown> {
  if (order.is === 'wait') return shown(order.count, order.phone)
  if (order.is === 'count') return tokens.map((token) => google.screens.on(token).length)
  const fresh = Array.from({ length: order.count }, () => google.register(account))
  tokens.push(...fresh)
  return fresh
}

process.on('message', async (order: GoogleOrder) => process.send?.(await obey(order)))
process.once('disconnect', () => process.exit())
const { server, tokenUri } = google
process.send?.({ account, origin: server.origin, tokenUri, ca: server.authority.ca })
