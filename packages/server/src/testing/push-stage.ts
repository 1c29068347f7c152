import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Api } from '@chorale/contract/api'
import type { Client } from '@chorale/contract/operation'
import type { FcmCredentials } from '../push/fcm.ts'
import { natsPrefix } from './nats-prefix.ts'
import { type ApnsProvider, startApnsProvider } from './providers/apns.ts'
import { type FcmProvider, startFcmProvider } from './providers/fcm.ts'
import { startTestApp, type TestApp } from './test-app.ts'

/** An app whose events are published, and both providers, which know it. */
export interface PushStage extends AsyncDisposable {
  readonly app: TestApp
  readonly full: Client<Api>
  readonly google: FcmProvider
  readonly apple: ApnsProvider
  readonly account: FcmCredentials
  /** What a worker needs to find the providers. */
  readonly settings: Readonly<Record<string, string>>
  /** A phone with Android of this user, logged in; its token. */
  android(uid: string, providerId?: string): Promise<string>
  iphone(uid: string): Promise<string>
  /** What is on the screen of a phone, in the order in which it came. */
  shown(token: string): Shown[]
}

interface Shown {
  readonly title: string
  readonly body: string
  readonly callAction?: string
}

const topic = 'example.chat'

export async function startPushStage(live: { gateway?: boolean } = {}): Promise<PushStage> {
  await using stack = new AsyncDisposableStack()
  const google = stack.use(await startFcmProvider())
  const apple = stack.use(await startApnsProvider())
  const folder = mkdtempSync(join(tmpdir(), 'chorale-push-'))
  stack.defer(() => rmSync(folder, { recursive: true }))
  const authorities = join(folder, 'authorities.pem')
  writeFileSync(authorities, google.server.authority.ca + apple.server.authority.ca)
  const settings = {
    NATS_PREFIX: natsPrefix(),
    EGRESS_ALLOW: '127.0.0.0/8',
    EGRESS_CA_FILE: authorities,
    PUSH_FCM_ORIGIN: google.server.origin,
    PUSH_FCM_TOKEN_URI: google.tokenUri,
    PUSH_APNS_ORIGIN: apple.server.origin,
    PUSH_TIMEOUT_MS: '2000',
  }
  const app = stack.use(await startTestApp({ twin: false, live: { ...live, settings } }))
  const full = app.as('full')
  const account = google.account()
  const team = apple.team(topic)
  const login = async (uid: string) =>
    (await full.createAuthToken({ params: { uid }, body: { force: true } })).data.authToken
  await full.createApnsProvider({
    body: {
      ...{ providerId: 'apple', keyId: team.keyId, teamId: team.teamId, bundleId: topic },
      ...{ p8Key: team.key, productionMode: true },
    },
  })
  const owned = stack.move()
  return {
    ...{ app, full, google, apple, account, settings },
    async android(uid, providerId) {
      const fcmToken = google.register(account)
      const body = { platform: 'fcm_android', authToken: await login(uid), fcmToken } as const
      await full.registerPushToken({ body: { ...body, ...(providerId && { providerId }) } })
      return fcmToken
    },
    async iphone(uid) {
      const deviceToken = apple.register()
      const body = {
        platform: 'apns_ios_device',
        authToken: await login(uid),
        deviceToken,
      } as const
      await full.registerPushToken({ body })
      return deviceToken
    },
    shown(token) {
      const screens = [...google.screens.on(token), ...apple.screens.on(token)]
      return screens.map(({ payload }) => {
        // The providers have looked at it.
        const seen = payload as Shown & { readonly data?: Shown }
        const { title, body, callAction } = seen.data ?? seen
        return { title, body, ...(callAction !== undefined && { callAction }) }
      })
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
