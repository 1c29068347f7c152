import type { Api } from '@chorale/contract/api'
import type { CallInput, Client } from '@chorale/contract/operation'
import type { CurrentTrigger, LegacyTrigger } from '@chorale/contract/webhooks'
import { inject } from 'vitest'
import { notifyWebhooks } from '../../../server/src/domain/webhooks/index.ts'
import { type Behaviour, openReceiver, type Receiver } from '../network/receiver.ts'
import type { Settings } from '../processes/program.ts'
import { fixtureSettings } from '../service/fixture-settings.ts'
import { type AppKeys, startTestApp, type TestApp } from '../service/test-app.ts'

type Fields = Partial<CallInput<Api['createWebhook']>['body']>

/** An app whose webhooks lead to servers on this machine. */
export interface WebhookFixture extends AsyncDisposable {
  readonly app: TestApp
  readonly full: Client<Api>
  /** With which another process joins the install. */
  readonly settings: Settings
  /** A receiver and a webhook that leads to it, of the generation that its triggers are of. */
  hook(id: string, triggers: readonly CurrentTrigger[], more?: HookOptions): Promise<Hook>
  oldHook(id: string, triggers: readonly LegacyTrigger[], more?: HookOptions): Promise<Hook>
}

interface HookOptions extends Fields {
  readonly behave?: Behaviour
  /** Another app than the fixture's. */
  readonly of?: AppKeys
}

export interface Hook {
  readonly receiver: Receiver
  readonly signingSecret: string
  /** For calls about this webhook. */
  readonly params: { readonly appId: string; readonly webhookId: string }
}

interface FixtureOptions {
  /** Elsewhere: this process delivers nothing. */
  readonly worker?: 'here' | 'elsewhere'
  readonly clock?: () => number
}

/** Retries come a hundred times sooner than they would. */
export const hundredth = { WEBHOOK_RETRY_MS: '100' }

export async function startWebhookFixture(
  more: Settings = {},
  { worker = 'here', clock }: FixtureOptions = {},
): Promise<WebhookFixture> {
  await using stack = new AsyncDisposableStack()
  const settings = fixtureSettings(more)
  const listeners = worker === 'here' ? { listeners: [notifyWebhooks] } : {}
  const app = stack.use(
    await startTestApp({
      shadow: false,
      ...(clock && { clock }),
      live: { ...listeners, gateway: true, settings },
    }),
  )
  const full = app.as('full')
  const owned = stack.move()

  async function hook(
    version: 1 | 2,
    id: string,
    triggerIds: readonly string[],
    { behave, of, ...fields }: HookOptions = {},
  ): Promise<Hook> {
    const receiver = owned.use(await openReceiver(behave))
    const client = of ? app.client(of, 'full') : full
    const { appId } = of ?? app
    const headers = { 'X-Webhook-Version': version }
    const body = { id, name: id, webhookURL: receiver.url, ...fields }
    const { data } = await client.createWebhook({ params: { appId }, headers, body })
    const params = { appId, webhookId: id }
    await client.addWebhookTriggers({ params, headers, body: { triggerIds: [...triggerIds] } })
    return { receiver, signingSecret: data.signingSecret, params }
  }

  return {
    app,
    full,
    settings: { ...settings, NATS_URL: inject('natsUrl'), DATABASE_URL: app.databaseUrl },
    hook: (id, triggers, how) => hook(2, id, triggers, how),
    oldHook: (id, triggers, how) => hook(1, id, triggers, how),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
