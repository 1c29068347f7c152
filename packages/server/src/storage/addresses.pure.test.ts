import { afterAll, beforeEach, expect, test } from 'vitest'
import type { AppDb } from '../database/app-db.ts'
import { openFileAddresses } from './addresses.ts'
import { openS3 } from './s3.ts'

const stack = new DisposableStack()
afterAll(() => stack.dispose())

let now = 1_800_000_000
const bucketOf = (bucket: string) =>
  stack.use(
    openS3(
      {
        endpoint: 'https://s3.example.com',
        bucket,
        style: 'path',
        uploads: 'post',
        accessKeyId: 'one',
        secretAccessKey: 'secret',
        region: 'eu',
      },
      { clock: () => now },
    ),
  )
const stores = [bucketOf('first'), bucketOf('second')]
const addresses = openFileAddresses({
  storeOf: async (_, store) => stores[store ?? 0],
  clock: () => now,
  seconds: 600,
})
const db = { appId: 'my-app' } as AppDb
const id = '0199c0de-7000-7000-8000-0000000000ab'
const file = { id, about: { part: 'held' } }
const text = '{"text":"hello"}'

let prints = 0
function printed(of: Parameters<typeof addresses.printed>[2][number], said = text, app = 'my-app') {
  return addresses.printed(app, said, [of], () => {
    prints++
    const shown = { name: 'a.png', type: 'image/png', part: of.about?.part }
    return `${said} ${addresses.of(app, of, shown)}`
  })
}

beforeEach(async () => {
  await addresses.prepare(db, [file, { ...file, store: 1 }])
  printed(file)
  prints = 0
})

test('what was printed is not printed again while its addresses stay the same', () => {
  expect(printed(file)).toContain(`https://s3.example.com/first/my-app/ab/${id}/held?`)
  now += 1
  expect(printed(file)).toContain('X-Amz-Date=')
  expect(prints).toBe(0)
})

test.for([
  ['in the next window', file, 300],
  ['once another object of the file is shown', { id, about: { part: 'clean' } }, 0],
  ['in another store', { ...file, store: 1 }, 0],
] as const)('it is printed anew %s', ([, of, seconds]) => {
  const before = printed(file)
  now += seconds
  expect(printed(of)).not.toBe(before)
  expect(prints).toBe(1)
})

test('it is printed anew for another text and for another app', () => {
  expect(printed(file, '{"text":"edited"}')).toContain('edited')
  expect(printed(file, text, 'other-app')).toContain('/other-app/')
  expect(prints).toBe(2)
})
