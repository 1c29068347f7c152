import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { bring } from '../../../../testing/src/files/bring.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { readConfig } from '../../config.ts'
import { openConfiguredDatabase } from '../../main/configured-database.ts'
import { openTransactions } from '../../outbox/unit-of-work.ts'
import { openFolder } from '../../storage/folder.ts'
import { openSignedPaths } from '../../storage/signed-paths.ts'
import { keyOf, prefixOf } from '../../storage/storage.ts'
import { openVault } from '../../vault/vault.ts'
import { lockConversationOf } from '../messages/stored/index.ts'
import { type FileCheckParts, fileCheckJobs } from './check-jobs.ts'
import { insertCheck } from './checks.sql.ts'
import { type FileStep, openFileChecks } from './checks.ts'
import { setFileState } from './files.sql.ts'
import { fileRemovalJobs } from './removal-jobs.ts'
import { asTheyAre } from './settled.ts'
import { openFileStores } from './stores.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const path = await mkdtemp(join(tmpdir(), 'settled-'))
stack.defer(() => rm(path, { recursive: true }))
const app = stack.use(await startTestApp({ shadow: false, settings: { FILES_FOLDER: path } }))
const full = app.as('full')
await app.given.users('ann', 'bob')
const config = readConfig({
  DATABASE_URL: app.databaseUrl,
  NATS_URL: 'nats://127.0.0.1:4222',
  CHORALE_MASTER_KEY: app.masterKey,
})
const log = pino({ level: 'silent' })
const clock = () => Math.floor(Date.now() / 1000)
const database = stack.use(openConfiguredDatabase(config, log))
const transactions = openTransactions({
  begin: database.transaction,
  onCommit: () => undefined,
  clock,
})
const paths = openSignedPaths({ keyOf: () => Buffer.from('key'), clock })
const storage = openFolder({ path, url: 'http://files.localhost', paths })
const vault = openVault(Buffer.from(app.masterKey, 'base64'))
const stores = openFileStores({ install: storage, vault, open: () => Promise.reject() })
const about = { part: 'held', type: 'image/png', size: 1, width: 7 } as const
const passing: FileStep = { name: 'first', run: async () => ({ is: 'passed', facts: { about } }) }

/** Whom the service tells how far a check is. */
const said: [string, object][] = []

/** Claims and runs what is due, to the end. */
async function runAll(step: FileStep = passing): Promise<string[]> {
  const checks = openFileChecks([step])
  const progress: FileCheckParts['progress'] = (_, uid, now) => said.push([uid, now])
  const jobs = fileCheckJobs({ database, transactions, stores, checks, log, progress })
  const outcomes: string[] = []
  for (;;) {
    const [job] = await jobs.queue.claim(database.db, { ...jobs.limits, most: 1 })
    if (!job) return outcomes
    outcomes.push(await jobs.run(job))
  }
}

async function uploadInCheck(): Promise<string> {
  const body = { name: 'x.png', size: 1, mimeType: 'image/png' }
  const { data } = await full.createUpload({ onBehalfOf: 'ann', body })
  if (data.put) await bring(app, data.put, Buffer.from('x'))
  await full.completeUpload({ params: { uploadId: data.uploadId } })
  await setFileState(app, data.uploadId, 'checking')
  await insertCheck(app, data.uploadId, 'first')
  return data.uploadId
}

async function imageWith(uploadId: string) {
  const data = { attachments: [{ uploadId }] }
  return app.given.message('ann', 'bob', { type: 'image', data })
}

async function shown(id: string, uploadId: string) {
  const { data } = await full.getMessage({ params: { id }, onBehalfOf: 'bob' })
  return data.data.attachments?.find((one) => one.uploadId === uploadId)
}

async function ready(): Promise<string> {
  const uploadId = await uploadInCheck()
  await runAll()
  return uploadId
}

test('a file that is checked while an edit names it does not stay in check', async () => {
  const { id } = await imageWith(await ready())
  const uploadId = await uploadInCheck()
  const data = { attachments: [{ uploadId }] }
  // The edit has read that the file is in check, and waits for the conversation.
  const held = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = transactions.inApp(app.appId, async ({ db }) => {
    await lockConversationOf(db, Number(id))
    locked.resolve()
    await held.promise
  })
  await locked.promise
  const editing = full.editMessage({ params: { id }, onBehalfOf: 'ann', body: { data } })
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(await runAll()).toEqual(['ready', 'told', 'tidied'])
  held.resolve()
  await Promise.all([holding, editing])
  const file = await shown(id, uploadId)
  expect(file).toMatchObject({ width: 7, mimeType: 'image/png' })
  expect(file?.state).toBeUndefined()
})

test('a check does not end while an edit that has read its state is under way', async () => {
  const uploadId = await uploadInCheck()
  const held = Promise.withResolvers<void>()
  const read = Promise.withResolvers<object[]>()
  const editing = transactions.inApp(app.appId, async (ctx) => {
    read.resolve(await asTheyAre(ctx, [{ id: uploadId, state: 'checking' }]))
    await held.promise
  })
  expect(await read.promise).toMatchObject([{ state: 'checking' }])
  const running = runAll()
  const stateNow = async () => (await full.getUpload({ params: { uploadId } })).data.state
  await new Promise((resolve) => setTimeout(resolve, 500))
  const meanwhile = await stateNow()
  held.resolve()
  await editing
  expect(meanwhile).toBe('checking')
  expect(await running).toEqual(['ready', 'told', 'tidied'])
  expect(await stateNow()).toBe('ready')
})

test('whatever comes first, an edit or the end of a check, the message knows', async () => {
  const { id } = await imageWith(await ready())
  for (let round = 0; round < 15; round++) {
    const uploadId = await uploadInCheck()
    const data = { text: String(round), attachments: [{ uploadId }] }
    const after = new Promise((resolve) => setTimeout(resolve, round))
    const edit = full.editMessage({ params: { id }, onBehalfOf: 'ann', body: { data } })
    await Promise.all([edit, after.then(() => runAll())])
    await runAll()
    const file = await shown(id, uploadId)
    expect(file?.state).toBeUndefined()
    expect(file?.width).toBe(7)
  }
})

test('a file that is removed while it is looked at leaves nothing', async () => {
  const uploadId = await uploadInCheck()
  const removals = fileRemovalJobs({ database, transactions, stores })
  const step: FileStep = {
    name: 'first',
    async run({ appId, fileId }, to) {
      await full.cancelUpload({ params: { uploadId } })
      const [job] = await removals.queue.claim(database.db, { ...removals.limits, most: 1 })
      if (job) expect(await removals.run(job)).toBe('removed')
      const key = keyOf(appId, fileId, 'small')
      await to.write({ key, size: 1, type: 'image/webp' }, Readable.from([Buffer.from('x')]))
      return { is: 'passed', facts: { about } }
    },
  }
  expect(await runAll(step)).toEqual(['lost'])
  expect(await Array.fromAsync(storage.list(prefixOf(app.appId, uploadId)))).toEqual([])
})

test('a step that fails is made again, and nobody sees the file meanwhile', async () => {
  const uploadId = await uploadInCheck()
  const { id } = await imageWith(uploadId)
  const failing: FileStep = { name: 'first', run: () => Promise.reject(new Error('away')) }
  expect(await runAll(failing)).toEqual(['later'])
  expect(said.at(-1)).toEqual(['ann', { uploadId, state: 'checking', step: 'waiting' }])
  expect(await shown(id, uploadId)).toMatchObject({ state: 'checking' })
  expect((await shown(id, uploadId))?.url).toBeUndefined()
})
