import { createHash } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startFileServer } from '../../../testing/src/move/file-server.ts'
import { startMoving } from '../../../testing/src/move/moving-process.ts'
import { startS3Server } from '../../../testing/src/providers/s3-server.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const mebibyte = 1024 * 1024
const size = 300 * mebibyte
const files = stack.use(await startFileServer())
const s3 = stack.use(await startS3Server())
const old = stack.use(await startTestApp({ shadow: false }))
const settings = { ...s3.settings, FILES_MAX_BYTES: String(size) }
const fresh = stack.use(await startTestApp({ shadow: false, settings }))
const state = join(mkdtempSync(join(tmpdir(), 'chorale-move-')), 'state.json')
const block = Buffer.alloc(mebibyte, 'blocks of a large file')

test('a large file passes through little memory', async () => {
  await old.given.users('ann', 'bob')
  const url = files.add('large.bin', (response) => {
    response.writeHead(200, { 'content-length': size })
    const write = (left: number): void => {
      if (left === 0) response.end()
      else response.write(block, () => write(left - 1))
    }
    write(size / mebibyte)
  })
  const attachments = [{ url, name: 'large.bin' }]
  const body = {
    receiver: 'bob',
    receiverType: 'user',
    type: 'file',
    data: { attachments },
  } as const
  await old.as('full').sendMessage({ onBehalfOf: 'ann', body })
  const sides = [
    ...['--from-url', `${old.origin}/v3`, '--from-app', old.appId],
    ...['--to-url', `${fresh.origin}/v3`, '--to-app', fresh.appId],
    ...['--state', state, '--json', '--file-hosts', files.host],
  ]
  const moving = startMoving(['run', ...sides], { from: old.keys.full, to: fresh.keys.full })
  const { stdout, stderr } = await moving.ended
  expect([JSON.parse(stdout || '{}').moved?.files, stderr.includes('rror')]).toEqual([1, false])
  const peak = moving.peakBytes() / mebibyte
  console.log(`most memory of the program: ${peak.toFixed(0)} MB`)
  expect(peak).toBeLessThan(250)
  const { data } = await fresh.as('full').listMessages({ query: { affix: 'append', limit: 1 } })
  const [message] = data
  const shown =
    message && 'data' in message && 'url' in message.data ? String(message.data.url) : ''
  const hash = createHash('sha256')
  for await (const chunk of (await fetch(shown)).body ?? []) hash.update(chunk)
  const wanted = createHash('sha256')
  for (let nth = 0; nth < size / mebibyte; nth++) wanted.update(block)
  expect(hash.digest('hex')).toBe(wanted.digest('hex'))
}, 600_000)
