import type { ClientFrame } from '../contract.generated.ts'
import type { FileUploads } from './attached.ts'
import type { SessionStorage } from './storage.ts'
import type { Positions } from './timeline.ts'

type AuthFrame = Extract<ClientFrame, { type: 'auth' }>

/** What `connect` takes. */
export interface ConnectOptions {
  /** The realtime address: `wss://<host>/v3/realtime`. */
  readonly url: string
  /** Needed only where the host name of `url` does not name the app. */
  readonly appId?: string
  /**
   * An auth token, or a JWT of an issuer that the app trusts. A function is asked before every
   * connection; so again, once, when its token has expired or was ended.
   */
  readonly authToken: string | (() => string | Promise<string>)
  /** Whose coming and going is told; nobody's unless said. */
  readonly presence?: NonNullable<AuthFrame['presence']>
  /** Where an earlier session stopped: what was missed since comes first. */
  readonly positions?: Positions
  /** Keeps them for a later session; called when they have changed, once per turn. */
  readonly onPositions?: (positions: Positions) => void
  /** For a runtime that has none. */
  readonly WebSocket?: new (
    url: string,
  ) => WebSocket
  /** How many messages may wait to be sent. */
  readonly maxQueued?: number
  /** For an answer. A message that is not answered in time is sent again, with the same client id. */
  readonly timeoutMs?: number
  /** Before the next attempt to connect: a random part of a window that doubles each time. */
  readonly backoff?: { readonly baseMs: number; readonly maxMs: number }
  /** How long what came too early waits for what is missing, before that is asked for. */
  readonly patienceMs?: number
  /** For tests: in place of `Math.random`. */
  readonly random?: () => number
  /** Keeps unsent messages and positions for a later session of the same user. */
  readonly storage?: SessionStorage
  /** What goes wrong in the background, where no promise can say so. Printed unless given. */
  readonly onError?: (error: unknown) => void
  /** Uploads the files of messages: `fileUploads()`. Without it no draft may have files. */
  readonly files?: FileUploads
  /** Asks for the reason when no connection can be opened; that of the runtime unless given. */
  readonly fetch?: typeof fetch
}

export type Options = ReturnType<typeof withDefaults>

export function withDefaults(given: ConnectOptions) {
  return {
    positions: {},
    WebSocket: globalThis.WebSocket,
    fetch: globalThis.fetch as typeof fetch | undefined,
    maxQueued: 1000,
    timeoutMs: 15_000,
    patienceMs: 500,
    onError: (error: unknown) => console.error(error),
    ...given,
    backoff: {
      baseMs: 500,
      maxMs: 30_000,
      ...given.backoff,
      random: given.random ?? Math.random,
    },
  }
}

export function addressOf({ url, appId }: Options): string {
  if (appId === undefined) return url
  return `${url}${url.includes('?') ? '&' : '?'}appId=${encodeURIComponent(appId)}`
}

export async function greetingOf(
  { authToken, presence }: Options,
  positions: Positions,
): Promise<AuthFrame> {
  const known = Object.entries(positions).map(([id, { seq, change }]) => [id, { seq, change }])
  return {
    type: 'auth',
    authToken: typeof authToken === 'string' ? authToken : await authToken(),
    ...(known.length > 0 && { positions: Object.fromEntries(known) }),
    ...(presence && { presence }),
  }
}
