import type { Api } from '@chorale/contract/api'
import type { CallInput, Client } from '@chorale/contract/operation'
import { inject } from 'vitest'
import { openCases, punishSenders } from '../../../server/src/domain/rules/cases/index.ts'
import { notifyWebhooks } from '../../../server/src/domain/webhooks/index.ts'
import { answer, type Behaviour, openReceiver, type Receiver } from '../network/receiver.ts'
import type { Settings } from '../processes/program.ts'
import { fixtureSettings } from '../service/fixture-settings.ts'
import { type AppKeys, startTestApp, type TestApp } from '../service/test-app.ts'

type Form = CallInput<Api['createKeywordList']>['form']
type Rule = CallInput<Api['createRule']>['body']

/** An app whose classifiers are servers on this machine. */
export interface ClassifierFixture extends AsyncDisposable {
  readonly app: TestApp
  readonly full: Client<Api>
  /** With which another process joins the install. */
  readonly settings: Settings
  /** A classifier, and a rule of the same id that asks it. */
  classifier(id: string, more?: ClassifierOptions): Promise<Receiver>
  /** A receiver, for as long as the fixture is there. */
  receiver(behave?: Behaviour): Promise<Receiver>
  /** Texts of a group's messages as this user sees them, with what became of them. */
  seenBy(uid: string, guid: string): Promise<[unknown, unknown][]>
}

interface ClassifierOptions {
  readonly behave?: Behaviour
  /** That speaks as OpenAI does. */
  readonly openAi?: boolean
  readonly list?: Omit<Partial<Form>, 'category'>
  readonly rule?: Rule
  /** Another app than the fixture's. */
  readonly of?: AppKeys
}

/** Answers as a classifier does. */
export const opinion = (isMatchingCondition: boolean, reason = 'So it is.'): Behaviour =>
  answer(200, JSON.stringify({ isMatchingCondition, confidence: 0.9, reason }))

export const quick = { CLASSIFIER_RETRY_MS: '20' }

export async function startClassifierFixture(
  more: Settings = quick,
  worker: 'here' | 'elsewhere' = 'here',
): Promise<ClassifierFixture> {
  await using stack = new AsyncDisposableStack()
  const settings = fixtureSettings(more)
  const listeners = [openCases, punishSenders, notifyWebhooks]
  const live = { ...(worker === 'here' && { listeners }), gateway: true, settings }
  // Whatever workers do in the shadow, they do in their own time.
  const app = stack.use(await startTestApp({ shadow: false, live }))
  const full = app.as('full')
  const owned = stack.move()
  const receiver = async (behave?: Behaviour) => owned.use(await openReceiver(behave))
  return {
    app,
    full,
    settings: { ...settings, NATS_URL: inject('natsUrl'), DATABASE_URL: app.databaseUrl },
    receiver,
    async classifier(id, { behave = opinion(false), openAi, list, rule, of } = {}) {
      const asked = await receiver(behave)
      const client = of ? app.client(of, 'full') : full
      const category = openAi ? 'openai' : 'customApi'
      const address = openAi ? { baseUrl: asked.url } : { webhookURL: asked.url }
      await client.createKeywordList({ form: { id, category, ...address, ...list } })
      const condition = { category, value: id, isKeywordReferencePresent: true } as const
      await client.createRule({ body: { id, conditions: [condition], ...rule } })
      return asked
    },
    async seenBy(onBehalfOf, guid) {
      const query = { category: 'message', hideDeleted: true }
      const { data } = await full.listGroupMessages({ onBehalfOf, params: { guid }, query })
      return data.flatMap((one): [unknown, unknown][] =>
        'data' in one ? [[one.data.text, one.data.moderation?.status]] : [],
      )
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
