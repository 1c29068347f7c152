import { afterAll, describe } from 'vitest'
import { failure, refusal, statementsOf } from '../../../testing/src/requests/statements.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const { hold } = statementsOf(app)
const failed = (code: string) => ({ success: false, error: { code } })

describe('moderation', () => {
  const condition = {
    id: 1,
    entity: 'message',
    operand: 'text',
    operator: 'contains',
    category: 'word',
    value: 'paris',
  }
  const rule = (id: string, more: object) => ({
    json: {
      id,
      name: 'n',
      enabled: true,
      action: ['blockMessage'],
      conditions: [{ ...condition, ...more }],
    },
  })
  const sender = {
    type: 'sender',
    entity: 'user',
    operand: 'role',
    operator: 'equals',
    value: 'default',
  }
  const byJson = { json: { id: 'kw', name: 'kw', category: 'word', searchTerms: 'a,b' } }
  hold([
    [
      'rules of the house',
      'GET /moderation/rules?limit=2',
      {},
      200,
      { data: [{ enabled: false }, { enabled: false }] },
    ],
    [
      'toxicity',
      'POST /moderation/rules',
      rule('tox', { category: 'toxicity' }),
      400,
      refusal('conditions.0.category'),
    ],
    [
      'similar sentences',
      'POST /moderation/rules',
      rule('sim', { category: 'sentence-similarity' }),
      400,
      refusal('conditions.0.category'),
    ],
    [
      'pictures',
      'POST /moderation/rules',
      rule('pic', { isMediaPresent: true, operand: 'image' }),
      400,
      refusal('conditions.0.isMediaPresent'),
    ],
    [
      'a rule with a filter',
      'POST /moderation/rules',
      { json: { ...rule('pub', {}).json, filters: [sender] } },
      200,
      { data: { id: 'pub', filters: [sender] } },
    ],
    [
      'the whole rule put back',
      'PUT /moderation/rules/pub',
      { json: { ...rule('pub', {}).json, filters: [] } },
      200,
      { data: { enabled: true, filters: [] } },
    ],
    ['a list of words as JSON', 'POST /moderation/keywords', byJson, 400, refusal('content-type')],
  ])
})

describe('webhooks', () => {
  const current = { management: true, headers: { 'X-Webhook-Version': '2' } }
  const hooks = `/apps/${app.appId}/webhooks`
  const hook = (id: string, more: object = {}) => ({
    ...current,
    json: { id, name: id, webhookURL: 'https://hooks.example/in', ...more },
  })
  const triggers = ['message_sent', 'group_created']
  const unknown = failed('ERR_TRIGGER_NOT_FOUND')
  hold([
    [
      'made with triggers',
      `POST ${hooks}`,
      hook('wh', { enabled: true, triggers }),
      200,
      { data: { id: 'wh', enabled: true } },
    ],
    [
      'which it has',
      `GET ${hooks}/wh/triggers`,
      current,
      200,
      { data: triggers.map((id) => ({ id })) },
    ],
    [
      'of the other generation',
      `GET ${hooks}/wh`,
      { management: true },
      404,
      failure('ERR_WEBHOOK_NOT_FOUND'),
    ],
    ['with a space in its id', `POST ${hooks}`, hook('my hook'), 400, refusal('id')],
    [
      ...(['for campaigns', `POST ${hooks}/wh/triggers`] as const),
      { ...current, json: { triggerIds: ['message_sent', 'after_campaign_completed'] } },
      ...([
        200,
        { data: { message_sent: { success: true }, after_campaign_completed: unknown } },
      ] as const),
    ],
  ])
})

describe('what is not offered', () => {
  const gone = failure('ERR_API_NOT_FOUND')
  const management = true
  const apps = `/apps/${app.appId}`
  const { key, secret } = app.management
  const basic = `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`
  hold([
    ['calls', 'GET /calls', { host: `${app.appId}.call-us.chat.example` }, 404],
    ['routes of extensions', 'POST /extensions/polls/v2/create', { json: {} }, 404, gone],
    ['upload of files', 'POST /files', { json: {} }, 404, gone],
    [
      'settings of other extensions',
      `GET ${apps}/extensions/profanity-filter/v1/settings`,
      { management },
      404,
      gone,
    ],
    [
      ...(['management by Basic', 'GET /apps?perPage=1'] as const),
      { management, headers: { key: undefined, secret: undefined, authorization: basic } },
      ...([401, failure('AUTH_ERR_EMPTY_AUTH_HEADER')] as const),
    ],
    [
      'extensions, but for this one',
      `GET ${apps}/extensions`,
      { management },
      200,
      { data: [{ id: 'push-notification' }] },
    ],
    [
      ...(['enabling others', `POST ${apps}/extensions`] as const),
      { management, json: { enabled: ['polls', 'push-notification'], disabled: ['link-preview'] } },
      ...([200, { data: { enabled: { polls: failed('ERR_EXTENSION_NOT_FOUND') } } }] as const),
    ],
  ])
})
