export interface Address {
  /** Of the REST interface. */
  readonly baseUrl: string
  readonly realtimeUrl: string
}

/** `chat.example`, `http://localhost:8080` and `https://chat.example/v3` are all understood. */
export function addressOf(host: string): Address {
  const url = new URL(/^https?:\/\//.test(host) ? host : `https://${host}`)
  const path = url.pathname === '/' ? '/v3' : url.pathname.replace(/\/$/, '')
  const scheme = url.protocol === 'http:' ? 'ws:' : 'wss:'
  return {
    baseUrl: `${url.protocol}//${url.host}${path}`,
    realtimeUrl: `${scheme}//${url.host}${path}/realtime`,
  }
}
