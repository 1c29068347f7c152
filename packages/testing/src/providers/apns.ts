import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { decodeProtectedHeader, errors, jwtVerify } from 'jose'
import type { ApnsCertificate, ApnsKey } from '../../../server/src/transports/apns.ts'
import { type Answered, type Asked, type Provider, startProvider } from './provider.ts'
import { openScreens, type Screens } from './screens.ts'

/** The Apple Push Notification service as its documents describe it. */
export interface ApnsProvider extends AsyncDisposable {
  readonly server: Provider
  readonly screens: Screens
  /** How many different provider tokens were shown. */
  readonly providerTokens: number
  /** The key of a new team, which may send to this app. */
  team(topic: string): ApnsKey
  certificate(topic: string): ApnsCertificate
  register(): string
  unregister(deviceToken: string): void
  /** Takes no provider token any more that it has seen. */
  expireTokens(): void
}

interface Team {
  readonly teamId: string
  readonly topic: string
  readonly publicKey: KeyObject
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export async function startApnsProvider(): Promise<ApnsProvider> {
  const teams = new Map<string, Team>()
  const devices = new Map<string, { registered: boolean }>()
  const screens = openScreens()
  const seen = new Set<string>()
  const expired = new Set<string>()

  const callerTopic = async ({ headers, certificate }: Asked): Promise<string> => {
    if (certificate !== undefined) return certificate
    const token = headers.authorization?.replace(/^bearer /, '') ?? ''
    if (token === '') throw new Error('MissingProviderToken')
    seen.add(token)
    if (expired.has(token)) throw new Error('ExpiredProviderToken')
    return verify(token, teams)
  }
  const answer = async (asked: Asked): Promise<Answered> => {
    const id = asked.headers['apns-id'] ?? ''
    const refuse = (status: number, reason: string, more = {}): Answered => {
      return { status, headers: { 'apns-id': id }, body: { reason, ...more } }
    }
    const [, deviceToken] = /^\/3\/device\/([0-9a-f]*)$/.exec(asked.path) ?? []
    if (deviceToken === undefined) return refuse(404, 'BadPath')
    let topic: string
    try {
      topic = await callerTopic(asked)
    } catch (error) {
      return refuse(403, error instanceof Error ? error.message : String(error))
    }
    const objection = objectionTo(asked, topic)
    if (objection) return refuse(...objection)
    const device = devices.get(deviceToken)
    if (!device) return refuse(400, 'BadDeviceToken')
    if (!device.registered) return refuse(410, 'Unregistered', { timestamp: Date.now() })
    const payload: unknown = JSON.parse(asked.body.toString())
    screens.show(deviceToken, asked.headers['apns-collapse-id'], payload)
    return { status: 200, headers: { 'apns-id': id } }
  }

  const server = await startProvider(answer)
  return {
    server,
    screens,
    get providerTokens() {
      return seen.size
    },
    team(topic: string): ApnsKey {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const teamId = `TEAM${String(teams.size).padStart(6, '0')}`
      const keyId = `KEY${String(teams.size).padStart(7, '0')}`
      teams.set(keyId, { teamId, topic, publicKey })
      const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
      return { kind: 'key', teamId, keyId, key }
    },
    certificate(topic: string): ApnsCertificate {
      const { authority } = server
      const bundle = authority.bundle(authority.sign(topic), 'secret')
      return { kind: 'certificate', bundle, password: 'secret' }
    },
    register() {
      const token = randomBytes(32).toString('hex')
      devices.set(token, { registered: true })
      return token
    },
    unregister(deviceToken: string) {
      const device = devices.get(deviceToken)
      if (device) device.registered = false
    },
    expireTokens() {
      for (const token of seen) expired.add(token)
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

async function verify(token: string, teams: ReadonlyMap<string, Team>): Promise<string> {
  try {
    const team = teams.get(decodeProtectedHeader(token).kid ?? '')
    if (!team) throw new Error('InvalidProviderToken')
    await jwtVerify(token, team.publicKey, {
      algorithms: ['ES256'],
      issuer: team.teamId,
      maxTokenAge: '1h',
    })
    return team.topic
  } catch (error) {
    const old = error instanceof errors.JWTExpired
    throw new Error(old ? 'ExpiredProviderToken' : 'InvalidProviderToken', { cause: error })
  }
}

function objectionTo({ headers, body }: Asked, topic: string): [number, string] | undefined {
  const type = headers['apns-push-type'] ?? ''
  if (!['alert', 'background', 'voip'].includes(type)) return [400, 'InvalidPushType']
  const wanted = type === 'voip' ? `${topic}.voip` : topic
  if (headers['apns-topic'] === undefined) return [400, 'MissingTopic']
  if (headers['apns-topic'] !== wanted) return [400, 'TopicDisallowed']
  const priorities = type === 'background' ? ['5'] : ['5', '10']
  if (!priorities.includes(headers['apns-priority'] ?? '10')) return [400, 'BadPriority']
  if (Buffer.byteLength(headers['apns-collapse-id'] ?? '') > 64) return [400, 'BadCollapseId']
  if (!uuid.test(headers['apns-id'] ?? '')) return [400, 'BadMessageId']
  if (!/^\d+$/.test(headers['apns-expiration'] ?? '0')) return [400, 'BadExpirationDate']
  if (body.length === 0) return [400, 'PayloadEmpty']
  return body.length > (type === 'voip' ? 5120 : 4096) ? [413, 'PayloadTooLarge'] : undefined
}
