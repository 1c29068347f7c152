import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { decodeJwt, jwtVerify } from 'jose'
import type { FcmCredentials } from '../../../server/src/transports/fcm.ts'
import { type Answered, type Asked, type Provider, startProvider } from './provider.ts'
import { openScreens, type Screens } from './screens.ts'

/** Firebase Cloud Messaging as its documents describe it, with the token endpoint beside it. */
export interface FcmProvider extends AsyncDisposable {
  readonly server: Provider
  readonly tokenUri: string
  readonly screens: Screens
  /** How many access tokens were issued. */
  readonly issued: number
  /** A service account of a new project. */
  account(): FcmCredentials
  /** A device of the project; a token that was never registered is not known. */
  register(credentials: FcmCredentials): string
  unregister(token: string): void
  /** Takes back every access token. */
  expireTokens(): void
}

interface Account {
  readonly projectId: string
  readonly keyId: string
  readonly publicKey: KeyObject
}
interface Message {
  readonly token?: string
  readonly topic?: string
  readonly data?: Readonly<Record<string, unknown>>
  readonly notification?: Readonly<Record<string, unknown>>
  readonly android?: {
    readonly priority?: string
    readonly ttl?: string
    readonly collapse_key?: string
    readonly notification?: { readonly tag?: string }
  }
}

const maxBytes = 4096

export async function startFcmProvider(): Promise<FcmProvider> {
  const accounts = new Map<string, Account>()
  const accessTokens = new Map<string, Account>()
  const devices = new Map<string, { readonly projectId: string; registered: boolean }>()
  const screens = openScreens()
  let issued = 0
  const server = await startProvider((asked) =>
    asked.path === '/token' ? issueToken(asked) : send(asked),
  )
  const tokenUri = `${server.origin}/token`

  const issueToken = async ({ body }: Asked): Promise<Answered> => {
    const form = new URLSearchParams(body.toString())
    const assertion = form.get('assertion') ?? ''
    try {
      const account = accounts.get(decodeJwt(assertion).iss ?? '')
      if (!account) throw new Error('Nobody knows this issuer.')
      await verify(assertion, account, tokenUri)
      if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') {
        throw new Error('The grant is not known.')
      }
      issued += 1
      const token = `access-${randomUUID()}`
      accessTokens.set(token, account)
      const answer = { access_token: token, expires_in: 3599, token_type: 'Bearer' }
      return { status: 200, body: answer }
    } catch (error) {
      const answer = { error: 'invalid_grant', error_description: String(error) }
      return { status: 400, body: answer }
    }
  }

  const send = ({ path, headers, body }: Asked): Answered => {
    const [, projectId] = /^\/v1\/projects\/([^/]+)\/messages:send$/.exec(path) ?? []
    const account = accessTokens.get(headers.authorization?.replace(/^Bearer /, '') ?? '')
    if (!account) return failure(401, 'UNAUTHENTICATED', 'Request had invalid credentials.')
    if (account.projectId !== projectId) return failure(403, 'PERMISSION_DENIED', 'Not yours.')
    const { message }: { message: Message } = JSON.parse(body.toString())
    const objection = objectionTo(message)
    if (objection) return objection
    if (message.token !== undefined) {
      const device = devices.get(message.token)
      if (!device) return notAToken()
      if (device.projectId !== projectId) return mismatch()
      if (!device.registered) return unregistered()
    }
    const address = message.token ?? `/topics/${message.topic}`
    const tag = message.android?.notification?.tag ?? message.android?.collapse_key
    screens.show(address, tag, message)
    return { status: 200, body: { name: `projects/${projectId}/messages/${randomUUID()}` } }
  }

  return {
    server,
    tokenUri,
    screens,
    get issued() {
      return issued
    },
    account() {
      const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      const projectId = `project-${accounts.size + 1}`
      const clientEmail = `push@${projectId}.example`
      const keyId = randomUUID()
      accounts.set(clientEmail, { projectId, keyId, publicKey })
      const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
      return { projectId, clientEmail, privateKey: pem, privateKeyId: keyId }
    },
    register({ projectId }: FcmCredentials) {
      const token = randomUUID()
      devices.set(token, { projectId, registered: true })
      return token
    },
    unregister(token: string) {
      const device = devices.get(token)
      if (device) device.registered = false
    },
    expireTokens: () => accessTokens.clear(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

async function verify(assertion: string, account: Account, audience: string): Promise<void> {
  const rules = { algorithms: ['RS256'], audience, maxTokenAge: '1h', requiredClaims: ['exp'] }
  const { payload, protectedHeader } = await jwtVerify(assertion, account.publicKey, rules)
  const { iat = 0, exp = 0, scope } = payload
  if (protectedHeader.kid !== account.keyId) throw new Error('The key is not known.')
  if (exp - iat > 3600) throw new Error('Longer than an hour.')
  if (scope !== 'https://www.googleapis.com/auth/firebase.messaging') throw new Error('Scope.')
}

function objectionTo(message: Message): Answered | undefined {
  const { data = {}, notification = {}, android } = message
  const odd = Object.keys(data).find((key) => typeof data[key] !== 'string')
  if (odd !== undefined) return violation(`message.data[${odd}]`)
  if ((message.token === undefined) === (message.topic === undefined)) return violation('message')
  if (!/^\d+s$/.test(android?.ttl ?? '0s')) return violation('message.android.ttl')
  if (!['normal', 'high'].includes(android?.priority ?? 'normal')) {
    return violation('message.android.priority')
  }
  const texts = [data, notification].flatMap((part) => Object.entries(part).flat())
  const bytes = texts.reduce<number>((sum, text) => sum + Buffer.byteLength(String(text)), 0)
  if (bytes <= maxBytes) return undefined
  return failure(400, 'INVALID_ARGUMENT', 'Android message is too big', 'INVALID_ARGUMENT')
}

function failure(code: number, status: string, message: string, errorCode?: string): Answered {
  const type = 'type.googleapis.com/google.firebase.fcm.v1.FcmError'
  const details = errorCode === undefined ? [] : [{ '@type': type, errorCode }]
  return { status: code, body: { error: { code, message, status, details } } }
}

function violation(field: string): Answered {
  const type = 'type.googleapis.com/google.rpc.BadRequest'
  const details = [{ '@type': type, fieldViolations: [{ field, description: 'Invalid value' }] }]
  const error = {
    code: 400,
    message: `Invalid value at '${field}'`,
    status: 'INVALID_ARGUMENT',
    details,
  }
  return { status: 400, body: { error } }
}

const notAToken = () =>
  failure(
    400,
    'INVALID_ARGUMENT',
    'The registration token is not a valid FCM registration token',
    'INVALID_ARGUMENT',
  )
const mismatch = () => failure(403, 'PERMISSION_DENIED', 'SenderId mismatch', 'SENDER_ID_MISMATCH')
const unregistered = () =>
  failure(404, 'NOT_FOUND', 'Requested entity was not found.', 'UNREGISTERED')
