import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { auditOf } from '../../../../testing/src/data/audit.ts'
import { send } from '../../../../testing/src/network/wire.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const operator = app.as('full')

const inApp = { appId: app.appId }
const current = { 'X-Webhook-Version': 2 } as const
const url = 'https://hooks.example.com/in'
const plain = (id: string) => ({ id, name: id.toUpperCase(), webhookURL: url })
const at = (webhookId: string) => ({ params: { ...inApp, webhookId }, headers: current })

type Body = Parameters<typeof operator.createWebhook>[0]['body']
async function create(body: Body) {
  return (await operator.createWebhook({ params: inApp, headers: current, body })).data
}

const refusal = (code: string, status: number) => ({ code, status })
const objection = (field: string) => ({
  code: 'ERR_BAD_REQUEST',
  details: { [field]: [expect.any(String)] },
})

describe('a webhook', () => {
  test('M6: with another address its password must be given again', async () => {
    const auth = { useBasicAuth: true, username: 'joe', password: 'hunter2hunter2' }
    await create({ ...plain('moving'), ...auth })
    const update = (body: object) => operator.updateWebhook({ ...at('moving'), body })
    const elsewhere = { webhookURL: 'https://evil.example.com/in' }
    const again = { details: { password: ['Send this secret again when the address changes.'] } }
    await expect(update(elsewhere)).rejects.toMatchObject(again)
    // Or it would be switched on again there.
    await expect(update({ ...elsewhere, useBasicAuth: false })).rejects.toMatchObject(again)
    await update({ webhookURL: `${url}/deeper` })
    const { data } = await update({ ...elsewhere, password: 'another one' })
    expect(data.webhookURL).toBe(elsewhere.webhookURL)
    await create(plain('open'))
    await operator.updateWebhook({ ...at('open'), body: elsewhere })
    for (const id of ['moving', 'open']) await operator.deleteWebhook(at(id))
  })

  test('is created, shown, changed and deleted; its password is never shown', async () => {
    const { signingSecret, ...made } = await create({
      ...plain('first'),
      useBasicAuth: true,
      username: 'joe',
      password: 'hunter2hunter2',
    })
    expect(signingSecret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/)
    expect(made).toEqual({
      ...plain('first'),
      useBasicAuth: true,
      username: 'joe',
      enabled: true,
      retryOnFailure: false,
      retryHours: 0,
      onFailure: 'open',
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
    })
    expect((await operator.getWebhook(at('first'))).data).toEqual(made)
    const { rows } = await sql<{ row: string }>`
      select w::text as row from webhooks w where app_id = ${app.appId}`.execute(app.db)
    expect(rows[0]?.row).not.toContain('hunter2')

    const body = { name: 'New', retryOnFailure: true, retryHours: 24, onFailure: 'closed' } as const
    const { data: changed } = await operator.updateWebhook({ ...at('first'), body })
    expect(changed).toEqual({ ...made, ...body, updatedAt: expect.any(Number) })
    expect((await operator.getWebhook(at('first'))).data).toEqual(changed)

    const { data } = await operator.deleteWebhook(at('first'))
    expect(data).toEqual({ success: true, message: expect.stringContaining('first') })
    const missing = refusal('ERR_WEBHOOK_NOT_FOUND', 404)
    await expect(operator.getWebhook(at('first'))).rejects.toMatchObject(missing)
    await expect(operator.updateWebhook({ ...at('first'), body })).rejects.toMatchObject(missing)
    await expect(operator.deleteWebhook(at('first'))).rejects.toMatchObject(missing)
    const audit = await auditOf(app.db, app.appId)
    expect(audit.map(({ operation }) => operation).slice(-3)).toEqual([
      'createWebhook',
      'updateWebhook',
      'deleteWebhook',
    ])
    expect(JSON.stringify(audit)).not.toContain('hunter2hunter2')
  })

  test('has an id of its own, and the app has 25 at most', async () => {
    const keys = await app.anotherApp()
    const { createWebhook } = app.client(keys, 'full')
    const params = { appId: keys.appId }
    for (let n = 1; n <= 25; n++) await createWebhook({ params, body: plain(`w${n}`) })
    await expect(createWebhook({ params, body: plain('w26') })).rejects.toMatchObject(
      refusal('ERR_PLAN_QUOTA_RESTRICTION', 403),
    )
    await create(plain('twice'))
    await expect(create(plain('twice'))).rejects.toMatchObject(
      refusal('ERR_WEBHOOK_ALREADY_EXISTS', 409),
    )
  })

  test('may be created with its triggers; one that does not exist is refused', async () => {
    const triggers = ['message_sent', 'message_edited', 'message_sent']
    await create({ ...plain('triggered'), triggers })
    const { data } = await operator.listWebhookTriggers(at('triggered'))
    expect(data.map(({ id }) => id)).toEqual(['message_sent', 'message_edited'])
    const refused = create({ ...plain('wrong'), triggers: ['after_message'] })
    await expect(refused).rejects.toMatchObject(objection('triggers'))
    await operator.deleteWebhook(at('triggered'))
  })

  test('is refused with a field that is too long or out of range', async () => {
    const wrong: [string, Partial<Body>][] = [
      ['id', { id: 'x'.repeat(51) }],
      ['id', { id: 'two words' }],
      ['name', { name: 'x'.repeat(51) }],
      ['webhookURL', { webhookURL: `${url}${'x'.repeat(255)}` }],
      ['username', { username: 'x'.repeat(51) }],
      ['password', { password: 'x'.repeat(101) }],
      ['retryHours', { retryHours: 25 }],
      ['username', { useBasicAuth: true }],
      ['password', { useBasicAuth: true, username: 'joe' }],
    ]
    for (const [field, more] of wrong) {
      await expect(create({ ...plain('wrong'), ...more })).rejects.toMatchObject(objection(field))
    }
  })

  test('lies outside: no plain HTTP, no address of this machine or its network', async () => {
    const inside = ['http://hooks.example.com', 'https://127.0.0.1', 'https://10.1.2.3', 'nowhere']
    for (const webhookURL of inside) {
      const refused = create({ ...plain('inside'), webhookURL })
      await expect(refused).rejects.toMatchObject(objection('webhookURL'))
    }
    await create(plain('outside'))
    const moved = { ...at('outside'), body: { webhookURL: 'https://[::1]/' } }
    await expect(operator.updateWebhook(moved)).rejects.toMatchObject(objection('webhookURL'))
    const half = { ...at('outside'), body: { useBasicAuth: true } }
    await expect(operator.updateWebhook(half)).rejects.toMatchObject(objection('username'))
  })

  test('belongs to a generation, and does not exist in the other', async () => {
    const body = plain('older')
    await operator.createWebhook({ params: inApp, body })
    const ids = async (version?: number) => {
      const headers = version === undefined ? {} : { headers: { 'X-Webhook-Version': version } }
      const { data } = await operator.listWebhooks({ params: inApp, ...headers })
      return data.map(({ id }) => id)
    }
    expect(await ids()).toEqual(['older'])
    expect(await ids(1)).toEqual(['older'])
    expect(await ids(2)).not.toContain('older')
    await expect(operator.getWebhook(at('older'))).rejects.toMatchObject(
      refusal('ERR_WEBHOOK_NOT_FOUND', 404),
    )
    await expect(ids(3)).rejects.toMatchObject(objection('X-Webhook-Version'))
    await operator.deleteWebhook({ params: { ...inApp, webhookId: 'older' } })
  })

  test('is listed by pages, and found by how its id or name begins', async () => {
    await create({ ...plain('seek1'), name: 'Needle' })
    await create({ ...plain('seek2'), name: 'Haystack' })
    const list = async (searchKey: string, perPage = 100) => {
      const query = { searchKey, perPage }
      return operator.listWebhooks({ params: inApp, headers: current, query })
    }
    expect((await list('need')).data.map(({ id }) => id)).toEqual(['seek1'])
    const { data, meta } = await list('SEEK', 1)
    expect(data.map(({ id }) => id)).toEqual(['seek1'])
    expect(meta.pagination).toMatchObject({ total: 2, count: 1, per_page: 1, total_pages: 2 })
  })

  test('is given another secret', async () => {
    const { signingSecret } = await create(plain('turn'))
    const { data } = await operator.rotateWebhookSecret({ params: at('turn').params })
    expect(data.signingSecret).toMatch(/^whsec_/)
    expect(data.signingSecret).not.toBe(signingSecret)
    expect((await operator.getWebhook(at('turn'))).data).not.toHaveProperty('signingSecret')
  })
})

describe('triggers', () => {
  test('are added and removed; each generation has its own', async () => {
    await create(plain('wired'))
    const triggerIds = ['message_sent', 'group_created', 'after_message']
    const { data } = await operator.addWebhookTriggers({ ...at('wired'), body: { triggerIds } })
    const done = { success: true, message: expect.any(String) }
    expect(data).toEqual({
      message_sent: done,
      group_created: done,
      after_message: {
        success: false,
        message: expect.any(String),
        error: expect.objectContaining({ code: 'ERR_TRIGGER_NOT_FOUND' }),
      },
    })
    const listed = await operator.listWebhookTriggers(at('wired'))
    expect(listed.data).toEqual([
      { id: 'message_sent', description: 'A message was sent.' },
      { id: 'group_created', description: 'A group was created.' },
    ])
    expect(listed.meta.pagination).toMatchObject({ total: 2, count: 2 })
    const remove = (...ids: string[]) =>
      operator.removeWebhookTriggers({ ...at('wired'), body: { triggerIds: ids } })
    await expect(remove('message_sent', 'user_blocked')).rejects.toMatchObject(
      refusal('ERR_TRIGGER_NOT_FOUND', 404),
    )
    expect((await remove('message_sent')).data.success).toBe(true)
    expect((await operator.listWebhookTriggers(at('wired'))).data).toHaveLength(1)
  })

  test('of the older generation are its five', async () => {
    const params = { ...inApp, webhookId: 'old5' }
    await operator.createWebhook({ params: inApp, body: plain('old5') })
    const triggerIds = [
      'before_message',
      'after_message',
      'message_delivery_receipt',
      'message_read_receipt',
      'user_connection_status_change',
    ]
    await operator.addWebhookTriggers({ params, body: { triggerIds } })
    const { data } = await operator.listWebhookTriggers({ params })
    expect(data.map(({ id }) => id)).toEqual(triggerIds)
    const { data: refused } = await operator.addWebhookTriggers({
      params,
      body: { triggerIds: ['message_sent'] },
    })
    expect(refused.message_sent?.success).toBe(false)
  })
})

test('an unknown app has no webhooks, an unknown webhook nothing', async () => {
  const deliveryId = '01890000-0000-7000-8000-000000000000'
  const calls = (params: { appId: string; webhookId: string }) => [
    () => operator.getWebhook({ params }),
    () => operator.updateWebhook({ params, body: {} }),
    () => operator.deleteWebhook({ params }),
    () => operator.rotateWebhookSecret({ params }),
    () => operator.addWebhookTriggers({ params, body: {} }),
    () => operator.listWebhookTriggers({ params }),
    () => operator.removeWebhookTriggers({ params, body: {} }),
    () => operator.listDeliveries({ params }),
    () => operator.getDelivery({ params: { ...params, deliveryId } }),
    () => operator.redeliver({ params: { ...params, deliveryId } }),
    () => operator.redeliverMany({ params, body: {} }),
    () => operator.testWebhook({ params }),
  ]
  const nowhere = { appId: 'nosuchapp' }
  const elsewhere = [
    ...calls({ ...nowhere, webhookId: 'x' }),
    () => operator.createWebhook({ params: nowhere, body: plain('x') }),
    () => operator.listWebhooks({ params: nowhere }),
  ]
  for (const call of elsewhere) {
    await expect(call()).rejects.toMatchObject(refusal('ERR_APP_NOT_FOUND', 404))
  }
  for (const call of calls({ ...inApp, webhookId: 'ghost' })) {
    await expect(call()).rejects.toMatchObject(refusal('ERR_WEBHOOK_NOT_FOUND', 404))
  }
})

test('the header is read however it is spelled, and empty is as good as absent', async () => {
  const { key, secret } = app.management
  const list = async (version: string) => {
    const headers = { key, secret, 'x-WEBHOOK-version': version }
    const path = `/apps/${app.appId}/webhooks`
    return (await send(app.managementOrigin, { path, headers })).status
  }
  expect([await list('2'), await list(''), await list('two')]).toEqual([200, 200, 400])
})
