import { createHash, randomBytes } from 'node:crypto'
import { ChoraleError } from '@chorale/sdk'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { natsPrefix } from '../../../../../testing/src/engines/nats-prefix.ts'
import { bring } from '../../../../../testing/src/files/bring.ts'
import { startS3Server } from '../../../../../testing/src/providers/s3-server.ts'
import { startTestApp, type TestApp } from '../../../../../testing/src/service/test-app.ts'
import { listeners } from '../../../listeners.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const s3 = stack.use(await startS3Server())
const wait = { timeout: 30_000, interval: 50 }
const now = Math.floor(Date.now() / 1000)

async function start(settings: Readonly<Record<string, string>>): Promise<TestApp> {
  const live = { listeners, settings: { NATS_PREFIX: natsPrefix(), ...settings } }
  const app = stack.use(await startTestApp({ shadow: false, live, clock: () => now }))
  await app.given.users('ann', 'bob', 'cyd', 'dan')
  await app.given.group('tea', { owner: 'ann', members: { participants: ['bob', 'cyd', 'dan'] } })
  return app
}

const installs: readonly (readonly [string, TestApp])[] = [
  ['a folder', await start({})],
  ['S3', await start(s3.settings)],
]

const code = (call: Promise<unknown>) =>
  call.then(
    () => 'ok',
    (error) => (error instanceof ChoraleError ? error.code : String(error)),
  )
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function upload(app: TestApp, uid: string, bytes: Uint8Array, name = 'cat.png') {
  const full = app.as('full')
  const body = { name, size: bytes.length, mimeType: 'image/png' }
  const { data } = await full.createUpload({ onBehalfOf: uid, body })
  if (!data.put) throw new Error('It is not small.')
  expect(await bring(app, data.put, bytes)).toBeLessThan(300)
  await full.completeUpload({ params: { uploadId: data.uploadId } })
  return data.uploadId
}

const image = (...ids: readonly string[]) =>
  ({
    receiverType: 'group',
    type: 'image',
    data: { text: 'look', attachments: ids.map((uploadId) => ({ uploadId })) },
  }) as const

interface Shown {
  readonly uploadId?: string
  readonly url?: string
}

function attachmentsOf(message: { readonly data: { readonly attachments?: readonly Shown[] } }) {
  return message.data.attachments ?? []
}

/** Whether the bytes of the upload are there. */
async function isStored(app: TestApp, uploadId: string): Promise<boolean> {
  const { rows } = await sql`
    select from file_removals where app_id = ${app.appId} and file_id = ${uploadId}
    union all
    select from files where app_id = ${app.appId} and file_id = ${uploadId}`.execute(app.db)
  return rows.length > 0
}

describe.for(installs)('with %s', ([, app]) => {
  const full = app.as('full')

  test('a message names uploads, and whoever may see it gets their bytes', async () => {
    const first = randomBytes(4000)
    const second = randomBytes(50)
    const ids = [await upload(app, 'ann', first), await upload(app, 'ann', second, 'Ζoë “1”.png')]
    const sent = await app.given.message('ann', 'tea', image(...ids))
    const { calls: bob } = await app.device('bob')
    const { data } = await bob.getMessage({ params: { id: sent.id } })
    for (const shown of [sent, data]) {
      const [one, two] = attachmentsOf(shown)
      expect(one).toMatchObject({ uploadId: ids[0], name: 'cat.png', mimeType: 'image/png' })
      expect(one).toMatchObject({ extension: 'png', size: '4000' })
      expect(shown.data.url).toBe(one?.url)
      const answer = await app.fetchFile(one?.url ?? '')
      expect(digest(await answer.bytes())).toBe(digest(first))
      expect(two?.uploadId).toBe(ids[1])
    }
    const page = await bob.listGroupMessages({ params: { guid: 'tea' }, query: { limit: 30 } })
    const again = page.data.find((one) => 'id' in one && one.id === sent.id)
    expect(again && 'data' in again && again.data.url).toBe(data.data.url)
    // Neither the database nor what others are told keeps an address.
    const { rows } = await sql<{ data: object }>`
      select data from entries where app_id = ${app.appId} and id = ${sent.id}`.execute(app.db)
    expect(JSON.stringify(rows)).not.toContain('http')
  })

  test('strangers, those who left and whoever is blocked get no address', async () => {
    const id = await upload(app, 'ann', randomBytes(10))
    const { id: messageId } = await app.given.message('ann', 'tea', image(id))
    const params = { id: messageId }
    await app.given.users('eve')
    const other = app.client(await app.anotherApp(), 'full')
    expect(await code(other.getMessage({ params }))).toBe('ERR_MESSAGE_ID_NOT_FOUND')
    const { calls: eve } = await app.device('eve')
    expect(await code(eve.getMessage({ params }))).toBe('ERR_MESSAGE_NO_ACCESS')
    const { calls: dan } = await app.device('dan')
    const { data } = await dan.getMessage({ params })
    await full.leaveGroup({ params: { guid: 'tea' }, onBehalfOf: 'dan' })
    expect(await code(dan.getMessage({ params }))).toBe('ERR_MESSAGE_NO_ACCESS')
    await full.banUser({ params: { guid: 'tea', uid: 'cyd' } })
    const { calls: cyd } = await app.device('cyd')
    expect(await code(cyd.getMessage({ params }))).toBe('ERR_MESSAGE_NO_ACCESS')
    // What dan was shown ends by itself.
    const [{ url = '' } = {}] = attachmentsOf(data)
    expect((await app.fetchFile(url)).status).toBe(200)
    // Not its last character, of which two bits say nothing.
    const changed = url.replace(/.(?=.$)/, (last) => (last === 'a' ? 'b' : 'a'))
    expect((await app.fetchFile(changed)).status).toBe(403)
    await full.unbanUser({ params: { guid: 'tea', uid: 'cyd' } })
    await full.addMembers({ params: { guid: 'tea' }, body: { participants: ['cyd', 'dan'] } })
  })

  test('nobody names an upload of somebody else, or one that is not complete', async () => {
    const id = await upload(app, 'ann', randomBytes(10))
    const { calls: bob } = await app.device('bob')
    const { data: begun } = await bob.createUpload({ body: { name: 'x', size: 5 } })
    const { id: bobs } = await app.given.message('bob', 'tea', { receiverType: 'group' })
    const { receiverType, ...said } = image(id)
    const waiting = { ...said, data: image(begun.uploadId).data }
    const to = { receiver: 'tea', receiverType }
    expect(await code(bob.sendMessage({ body: { ...to, ...said } }))).toBe('ERR_UPLOAD_NOT_FOUND')
    expect(await code(bob.sendMessage({ body: { ...to, ...waiting } }))).toBe(
      'ERR_UPLOAD_NOT_READY',
    )
    const params = { id: bobs }
    for (const [body, refusal] of [
      [said, 'ERR_UPLOAD_NOT_FOUND'],
      [waiting, 'ERR_UPLOAD_NOT_READY'],
    ] as const) {
      expect(await code(bob.replyToMessage({ params, body }))).toBe(refusal)
      const { data } = await bob.sendMessage({
        body: { ...to, ...image(await upload(app, 'bob', randomBytes(3))) },
      })
      if (!('id' in data)) throw new Error('One message.')
      const edit = { params: { id: data.id }, body: { data: body.data } }
      expect(await code(bob.editMessage(edit))).toBe(refusal)
    }
    const asBot = { params: { uid: 'bob' }, body: { ...to, ...waiting } }
    expect(await code(full.sendBotMessage(asBot))).toBe('ERR_UPLOAD_NOT_READY')
    const none = image('0199c0de-7000-7000-8000-0000000000ab').data
    const unknown = { params: { uid: 'bob' }, body: { ...to, ...said, data: none } }
    expect(await code(full.sendBotMessage(unknown))).toBe('ERR_UPLOAD_NOT_FOUND')
    // Fields of a user's own that look the same get no address.
    const custom = {
      category: 'custom',
      type: 'x',
      data: { customData: { uploadId: id, files: [{ id }] } },
    } as const
    const { data } = await bob.sendMessage({ body: { ...to, ...custom } })
    expect(JSON.stringify(data)).not.toContain('http')
  })

  test('an edit adds a file, and keeps what the message had', async () => {
    const [first, second] = [
      await upload(app, 'ann', randomBytes(5)),
      await upload(app, 'ann', randomBytes(6)),
    ]
    const { id } = await app.given.message('ann', 'tea', image(first))
    const body = { data: image(first, second).data }
    await full.editMessage({ params: { id }, onBehalfOf: 'ann', body })
    const { data } = await full.getMessage({ params: { id } })
    expect(attachmentsOf(data).map(({ uploadId }) => uploadId)).toEqual([first, second])
    expect(attachmentsOf(data).every(({ url }) => url?.startsWith('http'))).toBe(true)
    expect(await code(full.cancelUpload({ params: { uploadId: second } }))).toBe(
      'ERR_UPLOAD_IN_USE',
    )
  })

  test('deleted for ever, nothing of a file is left; another message keeps its own', async () => {
    const shared = await upload(app, 'ann', randomBytes(5))
    const { id: one } = await app.given.message('ann', 'tea', image(shared))
    const { id: two } = await app.given.message('ann', 'bob', {
      ...image(shared),
      receiverType: 'user',
    })
    const { data } = await full.getMessage({ params: { id: two } })
    const [{ url = '' } = {}] = attachmentsOf(data)
    const forEver = { permanent: true }
    await full.deleteMessage({ params: { id: one }, body: forEver })
    const removals = async () => {
      const { rows } = await sql<{ due: boolean }>`
        select due_at <= extract(epoch from clock_timestamp()) * 1000 as due from file_removals
        where app_id = ${app.appId} and file_id = ${shared}`.execute(app.db)
      return rows
    }
    await expect.poll(removals, wait).toEqual([])
    expect((await app.fetchFile(url)).status).toBe(200)
    await full.deleteMessage({ params: { id: two }, body: forEver })
    await expect.poll(() => isStored(app, shared), wait).toBe(false)
    expect((await app.fetchFile(url)).status).toBe(404)
  })

  test('a report keeps the file until it is closed', async () => {
    const file = await upload(app, 'ann', randomBytes(5))
    const { id } = await app.given.message('ann', 'tea', image(file))
    const { data } = await full.getMessage({ params: { id } })
    const [{ url = '' } = {}] = attachmentsOf(data)
    const report = { reasonId: 'harassment', remark: 'bad' }
    await full.flagMessage({ params: { id }, onBehalfOf: 'bob', body: report })
    await full.deleteMessage({ params: { id }, onBehalfOf: 'ann', body: { permanent: true } })
    expect(await isStored(app, file)).toBe(true)
    expect((await app.fetchFile(url)).status).toBe(200)
    await full.reviewFlaggedMessage({ params: { id }, body: { status: 'disapproved' } })
    await expect.poll(() => isStored(app, file), wait).toBe(false)
    expect((await app.fetchFile(url)).status).toBe(404)
  })

  test('files go with a group, and with a user who is erased', async () => {
    await app.given.users('zoe')
    await app.given.group('gone', { owner: 'ann', members: { participants: ['bob', 'zoe'] } })
    const ofGroup = await upload(app, 'ann', randomBytes(5))
    const ofZoe = await upload(app, 'zoe', randomBytes(5))
    await app.given.message('ann', 'gone', image(ofGroup))
    await app.given.message('zoe', 'tea', image(ofZoe)).catch(() => undefined)
    await full.addMembers({ params: { guid: 'tea' }, body: { participants: ['zoe'] } })
    await app.given.message('zoe', 'tea', image(ofZoe))
    await full.deleteGroup({ params: { guid: 'gone' } })
    await expect.poll(() => isStored(app, ofGroup), wait).toBe(false)
    expect(await isStored(app, ofZoe)).toBe(true)
    await full.eraseUser({ body: { uid: 'zoe' } })
    await expect.poll(() => isStored(app, ofZoe), wait).toBe(false)
  })
})
