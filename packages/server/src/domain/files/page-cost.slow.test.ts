import { readFileSync } from 'node:fs'
import { restClient } from '@chorale/sdk'
import { afterAll, expect, test } from 'vitest'
import { bring } from '../../../../testing/src/files/bring.ts'
import { settingsFor, startServing } from '../../../../testing/src/processes/program.ts'
import { startS3Server } from '../../../../testing/src/providers/s3-server.ts'
import { startTestApp, type TestApp } from '../../../../testing/src/service/test-app.ts'
import { unixSeconds } from '../../main/clock.ts'
import { openS3 } from '../../storage/s3.ts'

const messages = 30
const rounds = 40
const pagesPerRound = 60
const most = 1.2

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const s3 = stack.use(await startS3Server())
const bucket = s3.settings

/** Processor time that a process has used, in milliseconds. */
function usedBy(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  // In hundredths of a second, whatever the machine.
  return (Number(fields[11]) + Number(fields[12])) * 10
}

async function fill(app: TestApp): Promise<void> {
  const full = app.as('full')
  await app.given.users('ann', 'bob')
  const members = { participants: ['bob'] }
  for (const guid of ['plain', 'files', 'links'])
    await app.given.group(guid, { owner: 'ann', members })
  const to = (receiver: string) => ({ receiver, receiverType: 'group' }) as const
  for (let nth = 0; nth < messages; nth++) {
    const text = `Message ${nth}, with some words as people write them.`
    const name = `picture ${nth}.png`
    const { data } = await full.createUpload({
      onBehalfOf: 'ann',
      body: { name, size: 1, mimeType: 'image/png' },
    })
    if (data.put) await bring(app, data.put, Buffer.from('x'))
    await full.completeUpload({ params: { uploadId: data.uploadId } })
    const url = `https://files.example.com/${data.uploadId}/picture.png`
    const link = { url, name, mimeType: 'image/png', extension: 'png', size: '1' }
    const image = (attachment: object) =>
      ({ type: 'image', data: { text, attachments: [attachment] } }) as const
    await full.sendMessage({ onBehalfOf: 'ann', body: { ...to('plain'), data: { text } } })
    await full.sendMessage({
      onBehalfOf: 'ann',
      body: { ...to('files'), ...image({ uploadId: data.uploadId }) },
    })
    await full.sendMessage({ onBehalfOf: 'ann', body: { ...to('links'), ...image(link) } })
  }
}

test.for([
  ['a folder', {}],
  ['S3', bucket],
] as const)('in %s a page with files costs little more than one without', async ([, settings]) => {
  const app = stack.use(await startTestApp({ shadow: false, settings }))
  await fill(app)
  const folder = { FILES_FOLDER: '/nowhere', FILES_URL: 'https://files.example.com' }
  await using serving = await startServing(
    {
      ...settingsFor(app.databaseUrl),
      CHORALE_MASTER_KEY: app.masterKey,
      ...folder,
      ...settings,
    },
    '--parts',
    'api',
  )
  const { appId, keys } = app
  const calls = restClient({ baseUrl: `${serving.origin}/v3`, appId, apiKey: keys.full })
  const guids = ['plain', 'files', 'links'] as const
  const used = { plain: 0, files: 0, links: 0 }
  for (let round = -2; round < rounds; round++) {
    for (const guid of guids) {
      const before = usedBy(serving.pid)
      for (let nth = 0; nth < pagesPerRound; nth++) {
        await calls.listGroupMessages({
          params: { guid },
          query: { limit: messages, category: 'message' },
          onBehalfOf: 'bob',
        })
      }
      // The first rounds compile.
      if (round >= 0) used[guid] += (usedBy(serving.pid) - before) / pagesPerRound / rounds
    }
  }
  const { plain, files, links } = used
  console.log(
    `a page of ${messages}: ${plain.toFixed(2)} ms of processor time with texts, ` +
      `${links.toFixed(2)} with links (${(links / plain).toFixed(2)}), ` +
      `${files.toFixed(2)} with files (${(files / plain).toFixed(2)}; to links ${(files / links).toFixed(2)})`,
  )
  expect(files / plain).toBeLessThanOrEqual(most)
})

test('addresses are signed once in half of their time, in less than a page takes', () => {
  using storage = openS3(
    {
      endpoint: s3.endpoint,
      bucket: s3.bucket,
      ...s3.keys,
      region: 'us-east-1',
      style: 'path',
      uploads: 'post',
    },
    { clock: unixSeconds },
  )
  const signPages = (pages: number): number => {
    const before = process.cpuUsage()
    for (let nth = 0; nth < pages * messages; nth++) {
      const shown = { name: `picture ${nth}.png`, type: 'image/png', signedAt: 0, expiresAt: 600 }
      storage.address(`app/ab/${nth}/clean`, shown)
    }
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000 / pages
  }
  signPages(500)
  const ms = signPages(2000)
  console.log(
    `the addresses of a page of ${messages}, signed for the first time: ${ms.toFixed(2)} ms`,
  )
  expect(ms).toBeLessThanOrEqual(2)
})
