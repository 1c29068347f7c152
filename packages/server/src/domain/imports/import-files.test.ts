import { createHash, randomBytes } from 'node:crypto'
import { ChoraleError } from '@chorale/sdk'
import { afterAll, expect, test } from 'vitest'
import { natsPrefix } from '../../../../testing/src/engines/nats-prefix.ts'
import { bring } from '../../../../testing/src/files/bring.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { listeners } from '../../listeners.ts'

const now = 1_700_000_000
const app = await startTestApp({ shadow: false, clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
await app.given.users('ann', 'bob')
const at = (seconds: number) => 1_600_000_000 + seconds
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function uploadOf(uid: string | undefined, bytes: Uint8Array, completes = true, of = app) {
  const full = of.as('full')
  const body = { name: 'cat.bin', size: bytes.length }
  const { data } = await full.createUpload({ ...(uid && { onBehalfOf: uid }), body })
  if (!data.put) throw new Error('It is not small.')
  expect(await bring(of, data.put, bytes)).toBeLessThan(300)
  if (completes) await full.completeUpload({ params: { uploadId: data.uploadId } })
  return data.uploadId
}

interface Attachment {
  readonly uploadId?: string
  readonly url?: string
}

const message = (nth: number, attachments: readonly Attachment[], rest: object = {}) => ({
  [`m${nth}`]: {
    muid: `m${nth}`,
    sender: 'ann',
    receiverType: 'user' as const,
    receiver: 'bob',
    type: 'file',
    sentAt: at(nth),
    data: { text: 'look', attachments },
    ...rest,
  },
})

async function imported(messages: ReturnType<typeof message>, update = false) {
  const { data } = await full.importMessages({ body: { messages, update } })
  const [outcome] = Object.values(data)
  if (!outcome) throw new Error('It has no outcome.')
  return outcome
}

const refusal = async (attachments: readonly Attachment[]) =>
  (await imported(message(900, attachments))).error?.code

const shownIn = ({ data }: { readonly data: object }): readonly Attachment[] =>
  'attachments' in data && Array.isArray(data.attachments) ? data.attachments : []

test('an imported message names an upload of its sender, and whoever sees it gets the bytes', async () => {
  const bytes = randomBytes(3000)
  const uploadId = await uploadOf('ann', bytes)
  const { success, data } = await imported(message(1, [{ uploadId }]))
  expect(success).toBe(true)
  const { calls: bob } = await app.device('bob')
  const { data: seen } = await bob.getMessage({ params: { id: data?.id ?? '' } })
  const [attachment] = shownIn(seen)
  expect(attachment).toMatchObject({ uploadId, name: 'cat.bin', size: '3000' })
  expect(digest(await (await app.fetchFile(attachment?.url ?? '')).bytes())).toBe(digest(bytes))
  const cancelled = full.cancelUpload({ params: { uploadId } })
  await expect(cancelled).rejects.toMatchObject({ code: 'ERR_UPLOAD_IN_USE' })
  expect(await cancelled.catch((error) => error)).toBeInstanceOf(ChoraleError)
})

test('uploads of others, and those that are not complete, are refused; those of no user are not', async () => {
  expect(await refusal([{ uploadId: await uploadOf('bob', randomBytes(5)) }])).toBe(
    'ERR_UPLOAD_NOT_FOUND',
  )
  const other = app.client(await app.anotherApp(), 'full')
  const { data } = await other.createUpload({ body: { name: 'x', size: 5 } })
  for (const uploadId of [data.uploadId, 'x']) {
    expect(await refusal([{ uploadId }])).toBe('ERR_UPLOAD_NOT_FOUND')
  }
  expect(await refusal([{ uploadId: await uploadOf('ann', randomBytes(5), false) }])).toBe(
    'ERR_UPLOAD_NOT_READY',
  )
  const own = await uploadOf(undefined, randomBytes(5))
  expect(await imported(message(2, [{ uploadId: own }]))).toMatchObject({ success: true })
})

test('with update, files take the place of links: no edit, nobody is told, and once is enough', async () => {
  const url = 'https://files.example.com/cat.bin'
  const { data: linked } = await imported(message(3, [{ url }, { url: `${url}2` }]))
  const bytes = randomBytes(100)
  const uploadId = await uploadOf('ann', bytes)
  const events = (await app.events()).length
  const become = message(3, [{ uploadId }, { url: `${url}2` }])
  const unchanged = await imported(become)
  expect(shownIn(unchanged.data ?? { data: {} })[0]?.url).toBe(url)
  const { data } = await imported(become, true)
  const again = await imported(become, true)
  expect(again.data).toEqual(data)
  const [file, link] = shownIn(data ?? { data: {} })
  expect([file?.uploadId, link]).toEqual([uploadId, { url: `${url}2` }])
  expect(digest(await (await app.fetchFile(file?.url ?? '')).bytes())).toBe(digest(bytes))
  expect(data).toMatchObject({ id: linked?.id, data: { text: 'look' } })
  expect(data).not.toHaveProperty('editedAt')
  expect((await app.events()).length).toBe(events)
})

test('an edit that came later keeps its words; one of the call itself brings its files', async () => {
  await imported(message(4, [{ url: 'https://files.example.com/a' }]))
  const edited = { editedAt: at(50), editedBy: 'ann' }
  const words = { data: { text: 'later', attachments: [{ url: 'https://files.example.com/b' }] } }
  await imported(message(4, [], { ...edited, ...words }), true)
  const uploadId = await uploadOf('ann', randomBytes(5))
  const late = await imported(message(4, [{ uploadId }]), true)
  expect(shownIn(late.data ?? { data: {} })).toEqual([{ url: 'https://files.example.com/b' }])
  // Nothing names it.
  await full.cancelUpload({ params: { uploadId } })
  const next = await uploadOf('ann', randomBytes(5))
  const { data } = await imported(
    message(4, [{ uploadId: next }], { editedAt: at(60), editedBy: 'ann' }),
    true,
  )
  expect(data).toMatchObject({ editedAt: at(60), data: { text: 'look' } })
  expect(shownIn(data ?? { data: {} })[0]?.uploadId).toBe(next)
})

test('a message may name a file that is being checked, and says so until it is', async () => {
  const settings = { NATS_PREFIX: natsPrefix(), FILES_CHECK: 'on', FILES_CHECK_PROCESSES: '1' }
  await using live = await startTestApp({ shadow: false, live: { settings } })
  await live.given.users('ann', 'bob')
  const uploadId = await uploadOf('ann', randomBytes(50), true, live)
  const messages = message(1, [{ uploadId }])
  const { data } = await live.as('full').importMessages({ body: { messages } })
  expect(data.m1?.data?.data.attachments).toMatchObject([{ uploadId, state: 'checking' }])
  live.startWorker(listeners)
  const params = { id: data.m1?.data?.id ?? '' }
  const shown = async () => shownIn((await live.as('full').getMessage({ params })).data)
  await expect
    .poll(shown, { timeout: 30_000 })
    .toEqual([expect.not.objectContaining({ state: expect.anything() })])
})
