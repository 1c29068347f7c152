declare module 'http_ece' {
  import type { ECDH } from 'node:crypto'

  export function encrypt(
    body: Buffer,
    options: {
      readonly version: 'aes128gcm'
      /** The browser's public key and its secret, in base64url. */
      readonly dh: string
      readonly authSecret: string
      /** Ours, made for this one message. */
      readonly privateKey: ECDH
    },
  ): Buffer
}
