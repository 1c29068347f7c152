import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Tally } from './orders.ts'

export interface Call {
  readonly what: string
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/**
 * Keeps so many calls under way until the time is up, whatever the answers are; returns how each
 * kind was answered.
 */
export async function flood(
  origin: string,
  credentials: Readonly<Record<string, string>>,
  inFlight: number,
  until: number,
  next: (nth: number) => Call,
): Promise<Tally> {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight })
  const tally: Record<string, number> = {}
  let nth = 0
  const one = async () => {
    while (performance.now() < until) {
      const call = next(nth++)
      const status = await ask(agent, origin, credentials, call)
      const answer = `${call.what} ${status}`
      tally[answer] = (tally[answer] ?? 0) + 1
      // Nobody gains from asking faster than this, and the attackers share a machine with us.
      if (status === 429 || status === 0) await sleep(100)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, one))
  agent.destroy()
  return tally
}

function ask(
  agent: Agent,
  origin: string,
  credentials: Readonly<Record<string, string>>,
  { method, path, headers, body }: Call,
): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const asked = request(
    new URL(path, origin),
    { agent, method, headers: { ...type, ...credentials, ...headers }, timeout: 60_000 },
    (answer) => {
      answer.resume()
      answer.once('close', () => resolve(answer.statusCode ?? 0))
    },
  )
  asked.once('error', () => resolve(0))
  asked.end(body)
  return promise
}
