import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { bring } from '../../../../testing/src/files/bring.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { readConfig } from '../../config.ts'
import { openConfiguredDatabase } from '../../main/configured-database.ts'
import { openTransactions } from '../../outbox/unit-of-work.ts'
import { openFolder } from '../../storage/folder.ts'
import { openSignedPaths } from '../../storage/signed-paths.ts'
import { keyOf } from '../../storage/storage.ts'
import { openVault } from '../../vault/vault.ts'
import { fileCheckJobs } from './check-jobs.ts'
import { insertCheck } from './checks.sql.ts'
import { type FileFinding, openFileChecks } from './checks.ts'
import { setFileState } from './files.sql.ts'
import { findOrphans } from './orphans.ts'
import { removeFilesOfApp } from './removal-jobs.ts'
import { openFileStores } from './stores.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const app = stack.use(await startTestApp({ shadow: false }))
const full = app.as('full')
await app.given.users('ann', 'bob')
const path = await mkdtemp(join(tmpdir(), 'orphans-'))
stack.defer(() => rm(path, { recursive: true }))
const clock = () => Math.floor(Date.now() / 1000)
const paths = openSignedPaths({ keyOf: () => Buffer.from('key'), clock })
const storage = openFolder({ path, url: 'http://files.localhost', paths })
const write = (key: string) =>
  storage.write({ key, size: 1, type: 'image/png' }, Readable.from([Buffer.from('x')]))
const id = (nth: number) => `0199c0de-7000-7000-8000-${String(nth).padStart(12, '0')}`
const keys = async () => (await Array.fromAsync(storage.list(''))).map(({ key }) => key).toSorted()
const config = readConfig({
  DATABASE_URL: app.databaseUrl,
  NATS_URL: 'nats://127.0.0.1:4222',
  CHORALE_MASTER_KEY: app.masterKey,
})
const log = pino({ level: 'silent' })
const database = stack.use(openConfiguredDatabase(config, log))
const vault = openVault(Buffer.from(app.masterKey, 'base64'))
const stores = openFileStores({ install: storage, vault, open: () => Promise.reject() })

test('objects that no file has are found and removed, and no others', async () => {
  const upload = async () =>
    (await full.createUpload({ body: { name: 'x', size: 1 } })).data.uploadId
  // One that a message names has no removal; of one that is about to go, the row has gone.
  const [fresh, named, going] = [await upload(), await upload(), await upload()]
  await sql`delete from file_removals where file_id = ${named}`.execute(app.db)
  await sql`delete from files where file_id = ${going}`.execute(app.db)
  const known = [fresh, named, going].map((file) => keyOf(app.appId, file)).toSorted()
  for (const key of known) await write(key)
  for (let nth = 0; nth < 300; nth++) await write(keyOf(nth % 2 ? app.appId : 'gone', id(nth)))
  const how = { database, storage, prefix: '', before: clock() + 10 }
  expect(await findOrphans({ ...how, remove: false })).toEqual({
    looked: 303,
    found: 300,
    bytes: 300,
  })
  const young = { ...how, before: clock() - 60, remove: true }
  expect(await findOrphans(young)).toEqual({ looked: 303, found: 0, bytes: 0 })
  expect((await findOrphans({ ...how, remove: true })).found).toBe(300)
  expect(await keys()).toEqual(known)
})

test('the files of an app are removed, and not those of another', async () => {
  const others = keyOf('other', id(1))
  await write(others)
  await write(keyOf(app.appId, id(2)))
  const removeFiles = removeFilesOfApp(stores)
  while (await removeFiles({ appId: app.appId, db: app.db }, 0));
  expect(await keys()).toEqual([others])
})

test.for([
  ['ready', { is: 'passed' }, true],
  ['refused', { is: 'refused', why: 'a test' }, false],
] as const)(
  'until it is checked only its sender sees a file; then it is %s',
  async ([state, finding, isShown]) => {
    const body = { name: 'x.png', size: 1, mimeType: 'image/png' }
    const { data } = await full.createUpload({ onBehalfOf: 'ann', body })
    const { uploadId } = data
    if (data.put) await bring(app, data.put, Buffer.from('x'))
    await full.completeUpload({ params: { uploadId } })
    await setFileState(app, uploadId, 'checking')
    await insertCheck(app, uploadId, 'first')
    const sent = await app.given.message('ann', 'bob', {
      type: 'image',
      data: { attachments: [{ uploadId }] },
    })
    const seen = async (uid?: string) => {
      const whose = uid === undefined ? {} : { onBehalfOf: uid }
      const got = await full.getMessage({ params: { id: sent.id }, ...whose })
      const [one] = got.data.data.attachments ?? []
      return { state: one?.state, isShown: one?.url !== undefined }
    }
    expect(await seen('ann')).toEqual({ state: 'checking', isShown: true })
    for (const uid of ['bob', undefined]) {
      expect(await seen(uid)).toEqual({ state: 'checking', isShown: false })
    }
    const run = async (): Promise<FileFinding> => finding
    const checks = openFileChecks([{ name: 'first', run }])
    const { transaction: begin } = database
    const transactions = openTransactions({ begin, onCommit: () => undefined, clock })
    const jobs = fileCheckJobs({ database, transactions, stores, checks, log })
    for (const outcome of [state, 'told', 'tidied']) {
      const [job] = await jobs.queue.claim(database.db, { ...jobs.limits, most: 1 })
      if (!job) throw new Error('Nothing is to be checked.')
      expect(await jobs.run(job)).toBe(outcome)
    }
    const settled = state === 'ready' ? undefined : state
    for (const uid of ['ann', 'bob', undefined]) {
      expect(await seen(uid)).toEqual({ state: settled, isShown })
    }
  },
)
