import { nextMessage, startProgram } from './sockets.ts'

export interface StormOrder {
  readonly appId: string
  /** Devices connect to these in turn, and to the first once their own is gone. */
  readonly gateways: readonly string[]
  readonly authTokens: readonly string[]
}

export interface StormResult {
  readonly lost: number
  /** From the first loss until the last device had all that it missed. */
  readonly backSeconds: number
  /** Entries that came twice, out of order, behind a gap, or never. */
  readonly wrong: number
  /** How often a device was told to read anew what it could have been sent. */
  readonly reloads: number
}

/** Devices in a process of their own. Once all are in, a gateway is taken away and messages are sent. */
export async function storm<Sends extends { readonly sent: number }>(
  order: StormOrder,
  takeAwayAndSend: () => Promise<Sends>,
): Promise<StormResult & { readonly sends: Sends }> {
  await using child = startProgram(new URL('./storm-process.ts', import.meta.url))
  child.send(order)
  await nextMessage(child)
  const sends = await takeAwayAndSend()
  child.send(sends.sent)
  // As the program sends it.
  return { ...((await nextMessage(child)) as StormResult), sends }
}
