import { type Static, Type } from 'typebox'

/** Where NATS is, and how this process shows who it is. */
export const natsSettings = {
  NATS_URL: Type.String({
    default: 'nats://127.0.0.1:54222',
    description:
      'NATS 2.9 or later with JetStream; several addresses of one cluster with commas between them. ' +
      '`tls://` demands TLS. A user and a password, or a token, may stand in it: `nats://user:password@host:4222`.',
  }),
  NATS_USER: Type.String({ default: '', description: 'User at NATS.' }),
  NATS_PASSWORD: Type.String({ default: '', description: 'Password of this user.' }),
  NATS_TOKEN: Type.String({
    default: '',
    description: 'Token for NATS, where it wants one instead of a user.',
  }),
  NATS_NKEY_SEED: Type.String({
    default: '',
    description: 'Seed of the nkey of this user (`SU...`), instead of a password.',
  }),
  NATS_CREDS_FILE: Type.String({
    default: '',
    description: 'File with the JWT and the nkey of a user, as `nsc` writes it.',
  }),
  NATS_CA_FILE: Type.String({
    default: '',
    description:
      'Certificates (PEM) to trust at NATS, instead of the well-known ones; demands TLS.',
  }),
  NATS_CERT_FILE: Type.String({
    default: '',
    description: 'Certificate (PEM) that this process shows to NATS; demands TLS.',
  }),
  NATS_KEY_FILE: Type.String({ default: '', description: 'Its private key (PEM).' }),
  NATS_ANONYMOUS: Type.Boolean({
    default: false,
    description:
      'Whether a NATS on another machine may be used without credentials. Whoever reaches it reads ' +
      'and forges what every app sends.',
  }),
}

/** These may stand in a file each, and are read again from it at every connection. */
export const natsSecretNames = [
  'NATS_URL',
  'NATS_USER',
  'NATS_PASSWORD',
  'NATS_TOKEN',
  'NATS_NKEY_SEED',
] as const

const Schema = Type.Object(natsSettings)

export type NatsSecrets = Pick<Static<typeof Schema>, (typeof natsSecretNames)[number]>
