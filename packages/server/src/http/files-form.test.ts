import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { OperationName } from '@chorale/contract/api'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { startS3Server } from '../../../testing/src/providers/s3-server.ts'
import { note } from '../../../testing/src/service/contract-coverage.ts'
import { startTestApp, type TestApp } from '../../../testing/src/service/test-app.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const s3 = stack.use(await startS3Server())
const limits = { FILES_MAX_BYTES: '12000000', FILES_USER_BYTES: '30000000' }

async function start(settings: Readonly<Record<string, string>>): Promise<TestApp> {
  const app = stack.use(await startTestApp({ shadow: false, settings: { ...limits, ...settings } }))
  await app.given.users('ann', 'bob', 'cyd', 'dan')
  await app.as('full').blockUsers({ params: { uid: 'bob' }, body: { blockedUids: ['cyd'] } })
  return app
}

const installs: readonly (readonly [string, TestApp])[] = [
  ['a folder', await start({})],
  ['S3', await start(s3.settings)],
]

interface Answer {
  readonly data?: {
    readonly id: string
    readonly type: string
    readonly data: {
      readonly text?: string
      readonly url?: string
      readonly attachments?: readonly Readonly<Record<string, string>>[]
    }
  }
  readonly error?: { readonly code: string; readonly message: string }
}

async function post(app: TestApp, uid: string, form: FormData): Promise<Answer> {
  const response = await fetch(`${app.origin}/v3/messages`, {
    method: 'POST',
    headers: { appId: app.appId, apikey: app.keys.full, onBehalfOf: uid },
    body: form,
  })
  const answer = (await response.json()) as Answer
  note('sendMessage' satisfies OperationName, answer.error?.code ?? 'ok')
  return answer
}

function formOf(fields: Readonly<Record<string, string>>, ...files: readonly File[]): FormData {
  const form = new FormData()
  const all = { receiver: 'bob', receiverType: 'user', category: 'message', ...fields }
  for (const [name, value] of Object.entries(all)) form.append(name, value)
  for (const file of files) form.append(files.length === 1 ? 'file' : 'files[]', file)
  return form
}

const png = (bytes: Uint8Array<ArrayBuffer>, name = 'cat.png') =>
  new File([bytes], name, { type: 'image/png' })
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Files of the user that have a row, and how many bytes are counted. */
async function stored({ appId, db }: TestApp, uid: string) {
  const { rows } = await sql<{ files: number; bytes: number }>`
    select (select count(*) from files where app_id = ${appId} and uid = ${uid})::int as files,
      coalesce((select sum(bytes) from file_usage where app_id = ${appId} and uid = ${uid}), 0)::int
        as bytes`.execute(db)
  return rows[0]
}

describe.for(installs)('with %s', ([, app]) => {
  test('a form brings a message with its files, whole', async () => {
    const [one, two] = [randomBytes(30_000), randomBytes(6_000_000)]
    const data = JSON.stringify({ text: 'look', metadata: { a: 1 } })
    const form = formOf({ type: 'image', data }, png(one), png(two, 'dir/Käse "2".png'))
    const { data: sent, error } = await post(app, 'ann', form)
    expect(error).toBeUndefined()
    expect(sent?.data).toMatchObject({ text: 'look', metadata: { a: 1 } })
    const [first, second] = sent?.data.attachments ?? []
    expect(first).toMatchObject({ name: 'cat.png', mimeType: 'image/png', size: '30000' })
    expect(second).toMatchObject({ name: 'Käse "2".png', extension: 'png', size: '6000000' })
    expect(sent?.data.url).toBe(first?.url)
    // The test server of S3 reads such names otherwise.
    const got = await app.fetchFile(first?.url ?? '')
    expect(digest(await got.bytes())).toBe(digest(one))
    expect(await stored(app, 'ann')).toEqual({ files: 2, bytes: 6_030_000 })
    const large = formOf({ 'data[text]': 'hi' }, new File([two], 'film.mp4', { type: 'video/mp4' }))
    const { data: again } = await post(app, 'ann', large)
    expect(again).toMatchObject({ type: 'video', data: { text: 'hi' } })
    const film = await app.fetchFile(again?.data.attachments?.[0]?.url ?? '')
    expect(digest(await film.bytes())).toBe(digest(two))
  })

  test('a form without files is a message, and one without a chosen file too', async () => {
    const { data } = await post(app, 'ann', formOf({ 'data[text]': 'hello' }))
    expect(data).toMatchObject({ type: 'text', data: { text: 'hello' } })
    const none = formOf({ 'data[text]': 'again' }, new File([], '', {}))
    expect((await post(app, 'ann', none)).data).toMatchObject({ type: 'text' })
  })

  test.for([
    ['a receiver who blocks', 'cyd', {}, png(randomBytes(10)), 'ERR_BLOCKED_SENDER'],
    ['no receiver', 'dan', { receiver: '' }, png(randomBytes(10)), 'ERR_BAD_REQUEST'],
    ['too much', 'dan', {}, png(new Uint8Array(12_000_001)), 'ERR_FILE_TOO_LARGE'],
    ['nothing', 'dan', {}, png(new Uint8Array(0)), 'ERR_BAD_REQUEST'],
    ['a wrong type', 'dan', { type: 'x' }, png(randomBytes(10)), 'ERR_INVALID_MESSAGE_TYPE'],
  ] as const)('of a form with %s nothing is left', async ([, uid, fields, file, code]) => {
    const { error } = await post(app, uid, formOf(fields, file))
    expect(error?.code).toBe(code)
    expect(await stored(app, uid)).toEqual({ files: 0, bytes: 0 })
  })

  test('files of one form are as large as one file may be, and quotas hold', async () => {
    await app.given.users('eve')
    const half = png(new Uint8Array(6_500_000))
    const { error } = await post(app, 'eve', formOf({}, half, half))
    expect(error?.code).toBe('ERR_FILE_TOO_LARGE')
    for (let nth = 0; nth < 4; nth++) {
      expect((await post(app, 'eve', formOf({}, half))).error).toBeUndefined()
    }
    expect((await post(app, 'eve', formOf({}, half))).error?.code).toBe('ERR_FILE_QUOTA_EXCEEDED')
    expect(await stored(app, 'eve')).toEqual({ files: 4, bytes: 26_000_000 })
  })

  test('of a form that was cut off nothing is left', async () => {
    await app.given.users('fay')
    const { port } = new URL(app.origin)
    const socket = connect(Number(port), '127.0.0.1')
    await once(socket, 'connect')
    socket.write(
      `POST /v3/messages HTTP/1.1\r\nHost: x\r\nappId: ${app.appId}\r\napikey: ${app.keys.full}\r\n` +
        'onBehalfOf: fay\r\nContent-Type: multipart/form-data; boundary=b\r\n' +
        'Content-Length: 100000\r\n\r\n--b\r\n' +
        'Content-Disposition: form-data; name="file"; filename="x"\r\n\r\nbegin',
    )
    await expect.poll(() => stored(app, 'fay')).toMatchObject({ files: 1 })
    socket.destroy()
    await expect.poll(() => stored(app, 'fay')).toEqual({ files: 0, bytes: 0 })
  })
})

test('an app that takes JSON only takes forms with files; one by another name is refused', async () => {
  const [[, app]] = installs as [(typeof installs)[0]]
  const setting = {
    params: { appId: app.appId },
    body: { settings: { 'api.lenientInput': false } },
  }
  await app.as('full').mapAppSettings(setting)
  const form = formOf({ 'data[text]': 'x' }, png(randomBytes(9)))
  expect((await post(app, 'ann', form)).error).toBeUndefined()
  const other = formOf({ 'data[text]': 'x' })
  other.append('picture', png(randomBytes(9)))
  expect((await post(app, 'ann', other)).error?.message).toMatch(/`files\[\]`/)
})

test('an install without a store says so', async () => {
  const app = await start({ FILES_FOLDER: '' })
  const { error } = await post(app, 'ann', formOf({}, png(randomBytes(9))))
  expect(error?.code).toBe('ERR_FILES_NOT_CONFIGURED')
})
