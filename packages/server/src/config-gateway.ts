import { Type } from 'typebox'

export const gatewaySettings = {
  GATEWAY_PORT: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 65_535,
    description: 'Own port of the gateway; 0: the API port.',
  }),
  GATEWAY_ORIGINS: Type.String({
    default: '*',
    description:
      'Web sites whose pages may connect, and call the API as a device, as in ' +
      '`https://a.example,https://b.example`; `*`: any, since no browser sends an auth token by itself.',
  }),
  GATEWAY_CONNECTIONS: Type.Integer({
    default: 15_000,
    minimum: 1,
    description:
      'Sockets that a process may hold once they have signed in. Each takes a file descriptor.',
  }),
  GATEWAY_CONNECTIONS_PER_APP: Type.Integer({
    default: 10_000,
    minimum: 1,
    description: 'Of these, how many of one app.',
  }),
  GATEWAY_CONNECTIONS_PER_USER: Type.Integer({
    default: 20,
    minimum: 1,
    description: 'Of these, how many of one user.',
  }),
  GATEWAY_PENDING: Type.Integer({
    default: 2000,
    minimum: 1,
    description: 'Sockets beside these that have not signed in; beyond it the oldest is cut off.',
  }),
  GATEWAY_PENDING_PER_ADDRESS: Type.Integer({
    default: 1000,
    minimum: 1,
    description: 'Of these, how many from one client address.',
  }),
  GATEWAY_PENDING_BYTES: Type.Integer({
    default: 33_554_432,
    minimum: 0,
    description: 'What they may send in all; beyond it whoever sends over 4 KB is cut off.',
  }),
  GATEWAY_QUEUE_BYTES: Type.Integer({
    default: 1_048_576,
    minimum: 1024,
    description: 'What may wait for a socket; a reader that is slower is closed, and resumes.',
  }),
  GATEWAY_HEARTBEAT_MS: Type.Integer({
    default: 30_000,
    minimum: 100,
    description: 'How often a device says that it is there; after twice as long it is closed.',
  }),
  GATEWAY_AUTH_TIMEOUT_MS: Type.Integer({
    default: 10_000,
    minimum: 100,
    description: 'How long a fresh socket may take to say who it is.',
  }),
  GATEWAY_COMPARE_MS: Type.Integer({
    default: 5000,
    minimum: 50,
    description: 'How often what is open is compared with the log, for what NATS has lost.',
  }),
  GATEWAY_LEASE_SECONDS: Type.Integer({
    default: 20,
    minimum: 1,
    description: 'How long users stay online after their gateway has died, or a little longer.',
  }),
  PRESENCE_LIMIT: Type.Integer({
    default: 1000,
    minimum: 0,
    description: 'With more users of an app online, devices are not told who comes and goes.',
  }),
  TYPING_LIMIT: Type.Integer({
    default: 1000,
    minimum: 0,
    description: 'With more listeners to a conversation at one gateway, nobody hears of typing.',
  }),
  RECEIPTS_LIMIT: Type.Integer({
    default: 300,
    minimum: 0,
    description: 'The same for what was delivered and read. It is recorded all the same.',
  }),
}
