import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../seeded.ts'

/** Webhooks as a hosted service delivers them: doubled, late, out of order, and again after a failure. */
export interface WebhookRelay extends AsyncDisposable {
  /** For the install that stands for the service. */
  readonly url: string
  readonly calls: { taken: number; doubled: number; late: number; lost: number }
}

interface Options {
  /** Whoever listens. */
  readonly to: string
  readonly random: Random
  readonly lateMs: number
}

/** When nobody has answered. */
const retriesMs = [10_000, 30_000]

export async function startWebhookRelay({ to, random, lateMs }: Options): Promise<WebhookRelay> {
  const calls = { taken: 0, doubled: 0, late: 0, lost: 0 }
  const stopped = new AbortController()
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopped.signal })
  const send = async (body: string, authorization: string) => {
    for (const ms of [0, ...retriesMs]) {
      if (ms > 0) await pause(ms)
      const headers = { authorization, 'content-type': 'application/json' }
      const answer = await fetch(to, { method: 'POST', headers, body }).catch(() => undefined)
      if (answer?.ok) return
    }
    calls.lost += 1
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    response.writeHead(200).end()
    calls.taken += 1
    const body = Buffer.concat(chunks).toString()
    const { authorization = '' } = request.headers
    const isDoubled = random.chance(0.05)
    if (isDoubled) calls.doubled += 1
    for (let nth = 0; nth <= Number(isDoubled); nth++) {
      const isLate = nth > 0 || random.chance(0.05)
      if (isLate) calls.late += 1
      const waited = isLate ? pause(random.below(lateMs)) : Promise.resolve()
      // What is under way at the end is given up.
      waited.then(() => send(body, authorization)).catch(() => undefined)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    calls,
    async [Symbol.asyncDispose]() {
      stopped.abort()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
