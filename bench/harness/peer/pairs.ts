import { nextMessage, startProgram } from '../sockets.ts'

/** Where devices connect to, and who they are. */
export type Devices =
  | {
      readonly at: 'chorale'
      readonly origin: string
      readonly appId: string
      readonly pairs: readonly DevicePair[]
    }
  | {
      readonly at: 'ejabberd'
      readonly host: string
      readonly port: number
      readonly domain: string
      readonly pairs: readonly DevicePair[]
    }

/** The first writes, the other one receives. */
export interface DevicePair {
  readonly sender: Login
  readonly receiver: Login
}

export interface Login {
  readonly name: string
  /** Auth token or password. */
  readonly secret: string
}

export type Order = { is: 'open'; devices: Devices } | { is: 'send'; seconds: number }

export interface Sent {
  readonly deliveries: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Both devices of each pair in a process of their own, the same program for both servers. */
export interface Pairs extends AsyncDisposable {
  readonly pid: number
  /** Every sender sends, waits until the receiver has the message, and sends the next one. */
  send(seconds: number): Promise<Sent>
}

export async function openPairs(devices: Devices): Promise<Pairs> {
  const child = startProgram(new URL('./pair-process.ts', import.meta.url))
  const ask = async (order: Order) => {
    child.send(order)
    return await nextMessage(child)
  }
  await ask({ is: 'open', devices })
  return {
    pid: child.pid ?? 0,
    // The program answers so.
    send: async (seconds) => (await ask({ is: 'send', seconds })) as Sent,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}
