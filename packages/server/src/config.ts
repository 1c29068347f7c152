import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { envSchema } from 'env-schema'
import { type Static, Type } from 'typebox'
import { consoleSettings } from './config-console.ts'
import { databaseSettings } from './config-database.ts'
import { fileSettings } from './config-files.ts'
import { gatewaySettings } from './config-gateway.ts'
import { httpSettings } from './config-http.ts'
import { mistakenNames, type UnknownName, unknownNames } from './config-names.ts'
import { type NatsSecrets, natsSecretNames, natsSettings } from './config-nats.ts'
import { tracingSettings } from './config-tracing.ts'
import { limitSettings } from './limits/settings.ts'
import { PlainError } from './plain-error.ts'

const Settings = Type.Object({
  ...databaseSettings,
  ...natsSettings,
  ...tracingSettings,
  NATS_PREFIX: Type.String({
    default: 'chorale',
    pattern: '^[A-Za-z0-9_-]+([.][A-Za-z0-9_-]+)*$',
    description:
      'What every subject begins with; the streams are named after it. Installs that share a NATS ' +
      'need one each, regions for instance `chorale.eu`.',
  }),
  NATS_STREAM_HOURS: Type.Integer({
    default: 72,
    minimum: 1,
    description: 'How long NATS keeps events: the longest that workers may be away.',
  }),
  NATS_STREAM_REPLICAS: Type.Integer({
    default: 1,
    minimum: 1,
    maximum: 5,
    description: 'On how many NATS servers events are kept: 3 where there are three.',
  }),
  LISTENER_CONCURRENCY: Type.Integer({
    default: 4,
    minimum: 1,
    description: 'Events that a listener handles at once in one process.',
  }),
  LISTENER_ATTEMPTS: Type.Integer({
    default: 6,
    minimum: 1,
    description: 'How often an event is tried before it becomes a dead letter.',
  }),
  LISTENER_RETRY_MS: Type.Integer({
    default: 1000,
    minimum: 1,
    description: 'Time before the second attempt, more or less; it doubles with each further one.',
  }),
  CHORALE_MASTER_KEY: Type.String({
    default: '',
    description:
      '32 random bytes, base64 (`openssl rand -base64 32`). Secrets in the database are worth ' +
      'nothing without it, and cannot be read again if it is lost.',
  }),
  CHORALE_MASTER_KEY_PREVIOUS: Type.String({
    default: '',
    description:
      'The other key while the master key is changed (docs/keys.md): opens what it has sealed, and ' +
      'seals nothing.',
  }),
  ...httpSettings,
  ...gatewaySettings,
  ...consoleSettings,
  ...fileSettings,
  EGRESS_ALLOW: Type.String({
    default: '',
    description:
      'Addresses that are not public and may be called all the same, by webhooks for instance: ' +
      '`10.1.0.0/16,fd00::5`.',
  }),
  EGRESS_HTTP: Type.Boolean({
    default: false,
    description: 'Whether such calls may also be made without TLS.',
  }),
  EGRESS_CA_FILE: Type.String({
    default: '',
    description:
      'Certificates (PEM) to trust in these calls and those to push providers, instead of the ' +
      'well-known ones.',
  }),
  EGRESS_CONCURRENCY: Type.Integer({
    default: 100,
    minimum: 1,
    description: 'Calls to foreign addresses that a process makes at once.',
  }),
  EGRESS_CONCURRENCY_PER_TARGET: Type.Integer({
    default: 5,
    minimum: 1,
    description: 'Of these, how many for one webhook or the like.',
  }),
  EGRESS_BREAKER_FAILURES: Type.Integer({
    default: 10,
    minimum: 1,
    description: 'After so many calls in a row without an answer, a target is left alone.',
  }),
  EGRESS_BREAKER_REST_MS: Type.Integer({
    default: 30_000,
    minimum: 1,
    description: 'For how long, before one call tries again.',
  }),
  PUSH_SETTINGS_SECRETS: Type.Unsafe<'shown' | 'masked'>({
    type: 'string',
    enum: ['shown', 'masked'],
    default: 'shown',
    description:
      'Whether the push settings of the management API are answered with the private key in them, ' +
      'as the interface wants it, or with its last four characters.',
  }),
  WEBHOOK_TIMEOUT_MS: Type.Integer({
    default: 2000,
    minimum: 10,
    description: 'How long a webhook may take to answer.',
  }),
  WEBHOOK_RETRY_MS: Type.Integer({
    default: 10_000,
    minimum: 10,
    description: 'Time before the first retry to a webhook; all later ones are multiples of it.',
  }),
  AUDIT_KEEP_DAYS: Type.Integer({
    default: 400,
    minimum: 1,
    maximum: 36_500,
    description: 'How long the audit log is kept.',
  }),
  WEBHOOK_KEEP_DAYS: Type.Integer({
    default: 14,
    minimum: 4,
    description: 'How long it is kept what webhooks were told, and how they answered.',
  }),
  WEBHOOK_DISABLE_DAYS: Type.Integer({
    default: 5,
    minimum: 1,
    description: 'After so many days of nothing but failures a webhook is switched off.',
  }),
  CLASSIFIER_TIMEOUT_MS: Type.Integer({
    default: 10_000,
    minimum: 10,
    description: 'How long a classifier of moderation may take to answer.',
  }),
  CLASSIFIER_RETRY_MS: Type.Integer({
    default: 1000,
    minimum: 10,
    description: 'Time before a classifier is asked again that gave no answer; it doubles, once.',
  }),
  CLASSIFIER_BUDGET_MS: Type.Integer({
    default: 30_000,
    minimum: 10,
    description:
      'How long a message may wait for its classifiers; then it is allowed or blocked, as each of them says.',
  }),
  PUSH_CONCURRENCY: Type.Integer({
    default: 200,
    minimum: 1,
    description: 'Push notifications that a worker has under way at once.',
  }),
  PUSH_TIMEOUT_MS: Type.Integer({
    default: 10_000,
    minimum: 100,
    description: 'How long a push provider may take to answer.',
  }),
  PUSH_FCM_ORIGIN: Type.String({
    default: 'https://fcm.googleapis.com',
    description: 'Where FCM is.',
  }),
  PUSH_FCM_TOKEN_URI: Type.String({
    default: 'https://oauth2.googleapis.com/token',
    description: 'Where a service account gets its access tokens.',
  }),
  PUSH_APNS_ORIGIN: Type.String({
    default: 'https://api.push.apple.com',
    description: 'Where APNs is, for apps from the store.',
  }),
  PUSH_APNS_SANDBOX_ORIGIN: Type.String({
    default: 'https://api.sandbox.push.apple.com',
    description: 'Where APNs is, for apps under development.',
  }),
  SENDGRID_ORIGIN: Type.String({
    default: 'https://api.sendgrid.com',
    description: 'Where SendGrid is.',
  }),
  TWILIO_ORIGIN: Type.String({
    default: 'https://api.twilio.com',
    description: 'Where Twilio is.',
  }),
  SMTP_URL: Type.String({
    default: '',
    description:
      'Mail server for apps that have none of their own and want this one: ' +
      '`smtp://user:password@mail.example:587`, `smtps:` for TLS from the start. Empty: none.',
  }),
  SMTP_FROM: Type.String({
    default: '',
    description: 'The address that this mail comes from; the name beside it is that of the app.',
  }),
  ...limitSettings,
  SHUTDOWN_TIMEOUT_MS: Type.Integer({
    default: 25_000,
    minimum: 0,
    description: 'How long a stopping process may take to finish what it accepted.',
  }),
  LOG_LEVEL: Type.Unsafe<'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'>({
    type: 'string',
    enum: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    default: 'info',
    description: 'Lines below this level are not written.',
  }),
})

export type Config = Omit<
  Static<typeof Settings>,
  'CHORALE_MASTER_KEY' | 'CHORALE_MASTER_KEY_PREVIOUS'
> & {
  readonly masterKey: Buffer
  readonly previousMasterKey: Buffer | undefined
  /** What stands in files is read again: the operator may have changed it. */
  readonly natsSecrets: () => NatsSecrets
}

/** For the table in docs/settings.md. */
export const settingsSchema = Settings

/** A mistake of the operator: its message says what to do, and no stack is shown. */
export class ConfigError extends PlainError {}

/** Secrets may come from a file, as container platforms hand them over. */
export const fromFile = [
  'DATABASE_URL',
  'DATABASE_SESSION_URL',
  ...natsSecretNames,
  'CHORALE_MASTER_KEY',
  'CHORALE_MASTER_KEY_PREVIOUS',
  'SMTP_URL',
  'FILES_S3_SECRET_ACCESS_KEY',
  'OIDC_CLIENT_SECRET',
] as const

/** Every name that is read. */
export const settingNames: readonly string[] = [
  ...Object.keys(Settings.properties),
  ...fromFile.map((name) => `${name}_FILE`),
]

export function readConfig(environment: NodeJS.ProcessEnv, folder = '.'): Config {
  const inProduction = environment.NODE_ENV === 'production'
  const file = inProduction ? {} : readEnvFile(join(folder, '.env'))
  refuseUnknown('.env', unknownNames(file, settingNames))
  refuseUnknown('the environment', mistakenNames(environment, settingNames))
  const given = { ...file, ...environment }
  for (const name of fromFile) {
    const path = given[`${name}_FILE`]
    if (path) given[name] = readSecret(name, path)
  }
  const { CHORALE_MASTER_KEY, CHORALE_MASTER_KEY_PREVIOUS: previous, ...rest } = parse(given)
  if (rest.DATABASE_POOLER === 'transaction' && rest.DATABASE_SESSION_URL === '') {
    throw new ConfigError(
      'DATABASE_POOLER=transaction needs DATABASE_SESSION_URL: PostgreSQL itself, for leases and migrations.',
    )
  }
  return {
    ...rest,
    masterKey: readMasterKey('CHORALE_MASTER_KEY', CHORALE_MASTER_KEY),
    previousMasterKey:
      previous === '' ? undefined : readMasterKey('CHORALE_MASTER_KEY_PREVIOUS', previous),
    natsSecrets: () => ({ ...pickNatsSecrets(rest), ...natsSecretsInFiles(given) }),
  }
}

function pickNatsSecrets(settings: NatsSecrets): NatsSecrets {
  const { NATS_URL, NATS_USER, NATS_PASSWORD, NATS_TOKEN, NATS_NKEY_SEED } = settings
  return { NATS_URL, NATS_USER, NATS_PASSWORD, NATS_TOKEN, NATS_NKEY_SEED }
}

function natsSecretsInFiles(given: NodeJS.ProcessEnv): Partial<NatsSecrets> {
  return Object.fromEntries(
    natsSecretNames.flatMap((name) => {
      const path = given[`${name}_FILE`]
      return path ? [[name, readSecret(name, path)]] : []
    }),
  )
}

export function originsOf({ GATEWAY_ORIGINS }: Config): readonly string[] {
  return GATEWAY_ORIGINS.split(',').map((origin) => origin.trim())
}

function refuseUnknown(where: string, names: readonly UnknownName[]): void {
  if (names.length === 0) return
  const listed = names.map(({ name, nearest }) => `${name} (did you mean ${nearest}?)`)
  throw new ConfigError(`Unknown settings in ${where}: ${listed.join(', ')}. See docs/settings.md.`)
}

function parse(given: NodeJS.ProcessEnv): Static<typeof Settings> {
  try {
    return envSchema<Static<typeof Settings>>({ schema: Settings, data: given, env: false })
  } catch (error) {
    const texts = invalidIn(error)?.map(describeInvalid) ?? [String(error)]
    throw new ConfigError(`A setting is wrong: ${texts.join(', ')}. See docs/settings.md.`)
  }
}

/** As Ajv describes a value that is not valid. */
interface Invalid {
  readonly instancePath: string
  readonly message?: string
  readonly params: { readonly allowedValues?: readonly unknown[] }
}

function invalidIn(error: unknown): readonly Invalid[] | undefined {
  // Whatever else is thrown here has no list of errors.
  return (error as { readonly errors?: readonly Invalid[] }).errors
}

function describeInvalid({ instancePath, message, params }: Invalid): string {
  const { allowedValues } = params
  const what = allowedValues ? `must be one of ${allowedValues.join(', ')}` : message
  return `${instancePath.slice(1)} ${what}`
}

/** `.env` beside the clone is for development; the environment wins over it. */
function readEnvFile(path: string): NodeJS.ProcessEnv {
  return existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {}
}

function readSecret(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    throw new ConfigError(`${name}_FILE points to ${path}, which cannot be read.`)
  }
}

function readMasterKey(name: string, text: string): Buffer {
  const key = Buffer.from(text, 'base64')
  if (key.length === 32) return key
  const what = text === '' ? 'is not set' : 'is not 32 bytes in base64'
  throw new ConfigError(
    `${name} ${what}. Make one with \`openssl rand -base64 32\`, keep it safe: ` +
      'without it, stored secrets cannot be read again.',
  )
}
