import type { FcmCredentials } from '../../packages/server/src/transports/fcm.ts'
import { nextMessage, startProgram } from './sockets.ts'

export type GoogleOrder =
  | { readonly is: 'register'; readonly count: number }
  | { readonly is: 'wait'; readonly count: number; readonly phone?: string }
  | { readonly is: 'count' }

interface Opened {
  readonly account: FcmCredentials
  readonly origin: string
  readonly tokenUri: string
  readonly ca: string
}

/** FCM in a process of its own, so that its work is not ours. */
export interface Google extends Opened, AsyncDisposable {
  /** Tokens of so many new phones. */
  register(count: number): Promise<string[]>
  /** Resolves when so many pushes have come in all, or to this phone: with the time of the last, in ms. */
  wait(count: number, phone?: string): Promise<number>
  /** What is on the screen of each phone, in the order in which they registered. */
  count(): Promise<number[]>
}

export async function startGoogle(): Promise<Google> {
  const child = startProgram(new URL('./google-process.ts', import.meta.url))
  // The first thing that it says.
  const opened = (await nextMessage(child)) as Opened
  const ask = async (order: GoogleOrder) => {
    child.send(order)
    return await nextMessage(child)
  }
  return {
    ...opened,
    // The program answers each order as its type says.
    register: async (count) => (await ask({ is: 'register', count })) as string[],
    wait: async (count, phone) =>
      (await ask({ is: 'wait', count, ...(phone && { phone }) })) as number,
    count: async () => (await ask({ is: 'count' })) as number[],
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}
