import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { compileCache } from '../../packages/testing/src/processes/compile-cache.ts'
import type { Pace } from './paced.ts'
import type { Target } from './sends.ts'

/** What is sent: into a group, between pairs of users, or past everything to the first sockets. */
export type Sends =
  | { readonly to: 'group'; readonly target: Target; readonly guid: string }
  | { readonly to: 'pairs'; readonly target: Target; readonly among?: number }
  | { readonly to: 'bare'; readonly first: number; readonly bytes: number }

interface Load {
  readonly sends: Sends
  readonly origin: string
  /** Sockets that hear each message. */
  readonly receivers: number
}

export interface Flood extends Load {
  readonly inFlight: number
  readonly seconds: number
}

export interface Paced extends Load {
  readonly pace: Pace
}

export type Order =
  | { is: 'open'; origin: string; appId: string; auths: readonly string[] }
  | ({ is: 'flood' } & Flood)
  | ({ is: 'pace' } & Paced)

export interface Opened {
  readonly seconds: number
}

interface Waits {
  readonly p50Ms: number
  readonly p99Ms: number
}

export interface Heard extends Waits {
  readonly deliveries: number
  readonly seconds: number
  readonly messageBytes: number
}

export interface HeardPaced extends Heard {
  /** Until the HTTP answer. */
  readonly answers: Waits
  /** From the HTTP answer until the frame, which may come before it. */
  readonly behind: Waits
}

/** Sockets in a process of their own, which also sends what they hear. */
export interface Sockets extends AsyncDisposable {
  readonly pid: number
  open(origin: string, appId: string, auths: readonly string[]): Promise<Opened>
  flood(flood: Flood): Promise<Heard>
  pace(paced: Paced): Promise<HeardPaced>
}

/** A program that ends when this process does, or before. */
export function startProgram(file: URL): ChildProcess & AsyncDisposable {
  const child = fork(fileURLToPath(file), {
    execArgv: [],
    env: { PATH: process.env.PATH, ...compileCache },
    // Unlike JSON, it has infinity.
    serialization: 'advanced',
  })
  const ended = once(child, 'exit')
  return Object.assign(child, {
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
    },
  })
}

export async function nextMessage(child: ChildProcess): Promise<unknown> {
  const done = new AbortController()
  const { signal } = done
  const [what] = await Promise.race([
    once(child, 'message', { signal }),
    once(child, 'exit', { signal }),
  ])
  done.abort()
  if (child.exitCode === null) return what
  throw new Error(`A program of the load ended with ${child.exitCode}.`)
}

export function startSockets(): Sockets {
  const child = startProgram(new URL('./socket-process.ts', import.meta.url))
  const ask = async (order: Order) => {
    child.send(order)
    return await nextMessage(child)
  }
  return {
    pid: child.pid ?? 0,
    // The program answers each order as its type says.
    open: async (origin, appId, auths) =>
      (await ask({ is: 'open', origin, appId, auths })) as Opened,
    flood: async (flood) => (await ask({ is: 'flood', ...flood })) as Heard,
    pace: async (paced) => (await ask({ is: 'pace', ...paced })) as HeardPaced,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}
