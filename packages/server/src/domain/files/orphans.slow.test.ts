import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { startS3Server } from '../../../../testing/src/providers/s3-server.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { readConfig } from '../../config.ts'
import { openConfiguredDatabase } from '../../main/configured-database.ts'
import { openFolder } from '../../storage/folder.ts'
import { openS3 } from '../../storage/s3.ts'
import { openSignedPaths } from '../../storage/signed-paths.ts'
import { keyOf, type Storage } from '../../storage/storage.ts'
import { findOrphans } from './orphans.ts'

const others = 500

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const app = stack.use(await startTestApp({ shadow: false }))
const config = readConfig({
  DATABASE_URL: app.databaseUrl,
  NATS_URL: 'nats://127.0.0.1:4222',
  CHORALE_MASTER_KEY: app.masterKey,
})
const database = stack.use(openConfiguredDatabase(config, pino({ level: 'silent' })))
const clock = () => Math.floor(Date.now() / 1000)
const path = await mkdtemp(join(tmpdir(), 'orphans-'))
stack.defer(() => rm(path, { recursive: true }))
const paths = openSignedPaths({ keyOf: () => Buffer.from('key'), clock })
const s3 = stack.use(await startS3Server())
const bucket = { endpoint: s3.endpoint, bucket: s3.bucket, ...s3.keys }
const stores: readonly (readonly [string, number, Storage])[] = [
  ['a folder', 10_000, openFolder({ path, url: 'http://files.localhost', paths })],
  [
    'S3',
    10_000,
    stack.use(
      openS3({ ...bucket, region: 'us-east-1', style: 'path', uploads: 'post' }, { clock }),
    ),
  ],
]

/** Made by nobody: as a restored database leaves them behind. */
const id = (nth: number) =>
  `0199c0de-7000-7000-8${String(nth % 1000).padStart(3, '0')}-${String(nth).padStart(12, '0')}`

async function write(storage: Storage, keys: readonly string[]): Promise<void> {
  for (let from = 0; from < keys.length; from += 50) {
    const some = keys.slice(from, from + 50)
    await Promise.all(
      some.map((key) =>
        storage.write({ key, size: 1, type: 'image/png' }, Readable.from([Buffer.from('x')])),
      ),
    )
  }
}

test.for(stores)(
  'in %s %i orphans are found, and nothing else is touched',
  async ([, orphans, storage]) => {
    const full = app.as('full')
    const known: string[] = []
    for (let nth = 0; nth < others; nth++) {
      const { data } = await full.createUpload({ body: { name: 'x', size: 1 } })
      known.push(keyOf(app.appId, data.uploadId))
      // What was made of it is known by the same row; a cancelled one waits for its removal.
      if (nth % 10 === 0) known.push(keyOf(app.appId, data.uploadId, 'small.webp'))
      if (nth % 50 === 0) await full.cancelUpload({ params: { uploadId: data.uploadId } })
    }
    const planted = Array.from({ length: orphans }, (_, nth) =>
      keyOf(nth % 3 === 0 ? 'gone' : app.appId, id(nth), nth % 7 === 0 ? 'small.webp' : 'original'),
    )
    await write(storage, [...known, ...planted])
    const how = { database, storage, prefix: '', before: clock() + 10 }
    const looked = known.length + orphans
    const begin = performance.now()
    expect(await findOrphans({ ...how, remove: false })).toEqual({
      looked,
      found: orphans,
      bytes: orphans,
    })
    const found = performance.now()
    expect((await findOrphans({ ...how, remove: true })).found).toBe(orphans)
    const seconds = (ms: number) => (ms / 1000).toFixed(1)
    console.log(
      `${orphans} orphans among ${looked}: found in ${seconds(found - begin)} s, ` +
        `removed in ${seconds(performance.now() - found)} s`,
    )
    const left = await Array.fromAsync(storage.list(''))
    expect(left.map(({ key }) => key).toSorted()).toEqual(known.toSorted())
  },
)
