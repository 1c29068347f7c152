declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  /** All that tests use of it. */
  export class Provider {
    constructor(issuer: string, configuration: object)
    callback(): RequestListener
  }
}
