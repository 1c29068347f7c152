import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Api } from '@chorale/contract/api'
import type { Client } from '@chorale/contract/operation'
import { inject } from 'vitest'
import type { FcmCredentials } from '../../../server/src/transports/fcm.ts'
import { natsPrefix } from '../engines/nats-prefix.ts'
import type { Settings } from '../processes/program.ts'
import { type ApnsProvider, startApnsProvider } from '../providers/apns.ts'
import { type FcmProvider, startFcmProvider } from '../providers/fcm.ts'
import type { Provider } from '../providers/provider.ts'
import { startTestApp, type TestApp } from '../service/test-app.ts'

/** An app whose events are published, and both providers, which know it. */
export interface PushFixture extends AsyncDisposable {
  readonly app: TestApp
  readonly full: Client<Api>
  readonly google: FcmProvider
  readonly apple: ApnsProvider
  readonly account: FcmCredentials
  /** With which a worker in another process joins the install, and finds the providers. */
  readonly settings: Settings
  /** A provider of the app at FCM; the one at APNs is there. */
  useGoogle(providerId: string): Promise<void>
  /** A phone with Android of this user, logged in; its token. */
  android(uid: string, providerId?: string): Promise<string>
  iphone(uid: string, providerId?: string): Promise<string>
  /** What is on the screen of a phone, in the order in which it came. */
  shown(token: string): Shown[]
}

interface Shown {
  readonly title: string
  readonly body: string
  readonly callAction?: string
}

const topic = 'example.chat'

interface FixtureOptions {
  /** Devices can connect. */
  readonly gateway?: boolean
  /** Beside the two, for whoever brings a provider of their own. */
  readonly trusted?: readonly Provider[]
  /** How long providers may be silent. */
  readonly timeoutMs?: number
  readonly settings?: Settings
  readonly clock?: () => number
  /** Of the pages of the console. */
  readonly consoleFiles?: string
}

export async function startPushFixture({
  gateway = false,
  trusted = [],
  timeoutMs = 10_000,
  settings: more = {},
  clock,
  consoleFiles,
}: FixtureOptions = {}): Promise<PushFixture> {
  await using stack = new AsyncDisposableStack()
  const google = stack.use(await startFcmProvider())
  const apple = stack.use(await startApnsProvider())
  const folder = mkdtempSync(join(tmpdir(), 'chorale-push-'))
  stack.defer(() => rmSync(folder, { recursive: true }))
  const authorities = join(folder, 'authorities.pem')
  const servers = [google.server, apple.server, ...trusted]
  writeFileSync(authorities, servers.map(({ authority }) => authority.ca).join(''))
  const settings = {
    NATS_PREFIX: natsPrefix(),
    EGRESS_ALLOW: '127.0.0.0/8',
    EGRESS_CA_FILE: authorities,
    PUSH_FCM_ORIGIN: google.server.origin,
    PUSH_FCM_TOKEN_URI: google.tokenUri,
    PUSH_APNS_ORIGIN: apple.server.origin,
    PUSH_TIMEOUT_MS: String(timeoutMs),
    ...more,
  }
  const app = stack.use(
    await startTestApp({
      shadow: false,
      ...(clock && { clock }),
      ...(consoleFiles !== undefined && { consoleFiles }),
      live: { gateway, settings },
    }),
  )
  const full = app.as('full')
  const account = google.account()
  const team = apple.team(topic)
  const login = async (uid: string) =>
    (await full.createAuthToken({ params: { uid }, body: { force: true } })).data.authToken
  await full.createApnsProvider({
    body: {
      providerId: 'apple',
      keyId: team.keyId,
      teamId: team.teamId,
      bundleId: topic,
      p8Key: team.key,
      productionMode: true,
    },
  })
  const owned = stack.move()
  return {
    app,
    full,
    google,
    apple,
    account,
    settings: {
      ...settings,
      NATS_URL: inject('natsUrl'),
      DATABASE_URL: app.databaseUrl,
      CHORALE_MASTER_KEY: app.masterKey,
    },
    async useGoogle(providerId) {
      const serviceAccountCreds = {
        project_id: account.projectId,
        client_email: account.clientEmail,
        private_key: account.privateKey,
        private_key_id: account.privateKeyId,
      }
      await full.createFcmProvider({ body: { providerId, serviceAccountCreds } })
    },
    async android(uid, providerId) {
      const fcmToken = google.register(account)
      const body = { platform: 'fcm_android', authToken: await login(uid), fcmToken } as const
      await full.registerPushToken({ body: { ...body, ...(providerId && { providerId }) } })
      return fcmToken
    },
    async iphone(uid, providerId) {
      const deviceToken = apple.register()
      const platform = 'apns_ios_device'
      const body = { platform, authToken: await login(uid), deviceToken } as const
      await full.registerPushToken({ body: { ...body, ...(providerId && { providerId }) } })
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
