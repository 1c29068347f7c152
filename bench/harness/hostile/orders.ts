/** Whom the attackers are, and what they hold. */
export interface Order {
  readonly origin: string
  readonly seconds: number
  readonly attack: Attack
}

export type Attack =
  | { readonly by: 'strangers'; readonly sockets: number; readonly wrongKeysPerSecond: number }
  | {
      readonly by: 'tenant'
      readonly appId: string
      readonly apiKey: string
      readonly guid: string
      /** Members of the group; the first one owns it. */
      readonly uids: readonly string[]
    }
  | {
      readonly by: 'device'
      readonly appId: string
      readonly authToken: string
      readonly guid: string
      readonly passwordGroup: string
      /** Tokens of members who listen to what the device says. */
      readonly listeners: readonly string[]
    }

/** How often each thing was tried, and how it was answered. */
export type Tally = Readonly<Record<string, number>>
