import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { deviceClient, type FileUpload, restClient, upload } from '@chorale/sdk'
import { natsPrefix } from '../engines/nats-prefix.ts'
import { watchMemory } from '../move/memory-of.ts'
import { startSlowNetwork } from '../network/slow-network.ts'
import { type Serving, settingsFor, startServing } from '../processes/program.ts'
import { seeded } from '../seeded.ts'
import { startTestApp } from '../service/test-app.ts'

interface CutUploadOptions {
  readonly megabytes: number
  /** Uploaded to each api process before its memory is measured. */
  readonly warmMegabytes: number
  readonly bytesPerSecond: number
  readonly cutAfterBytes: number
}

export interface CutUpload {
  readonly cuts: number
  readonly seconds: number
  /** Whether bytes came while it was paused. */
  readonly movedWhilePaused: boolean
  readonly isIdentical: boolean
  /** Of each api process, in megabytes: warm, and at most afterwards. */
  readonly memory: readonly { readonly warm: number; readonly most: number }[]
}

const mebibyte = 1024 * 1024

/**
 * A device uploads a file by the SDK over a bad network; it is paused and resumed, and the api process
 * is killed and started again. Then the file is read as a message shows it.
 */
export async function uploadThroughCuts(options: CutUploadOptions): Promise<CutUpload> {
  const { megabytes, warmMegabytes, bytesPerSecond, cutAfterBytes } = options
  await using stack = new AsyncDisposableStack()
  const app = stack.use(await startTestApp({ shadow: false }))
  await app.given.users('ann', 'bob')
  const random = seeded(`cut upload ${megabytes}`)
  const network = stack.use(await startSlowNetwork({ bytesPerSecond, cutAfterBytes, random }))
  const folder = await mkdtemp(join(tmpdir(), 'cut-upload-'))
  stack.defer(() => rm(folder, { recursive: true }))
  const path = join(folder, 'film.mp4')
  const digest = await writeRandom(path, megabytes * mebibyte)
  const settings = {
    ...settingsFor(app.databaseUrl),
    NATS_PREFIX: natsPrefix(),
    CHORALE_MASTER_KEY: app.masterKey,
    FILES_FOLDER: join(folder, 'files'),
    // The bytes are no file of any type, and are compared as they were brought.
    FILES_CHECK: 'off',
    FILES_URL: network.url,
  }
  const memory: { warm: number; most: () => readonly number[] }[] = []
  const serve = async () => {
    const api = stack.use(await startServing(settings, '--parts', 'api'))
    await warmUp(api, app, warmMegabytes)
    await sleep(1000)
    const samples = watchMemory(api.pid)
    await sleep(1100)
    memory.push({ warm: samples().at(-1) ?? 0, most: watchMemory(api.pid) })
    network.lead(api.origin)
    return api
  }
  const first = await serve()
  const { authToken } = await app.device('ann')
  const client = deviceClient({ baseUrl: `${network.url}/v3`, appId: app.appId, authToken })
  const begin = performance.now()
  const under = upload(client, path, {
    mimeType: 'video/mp4',
    retries: 200,
    backoff: { baseMs: 50, maxMs: 500 },
  })
  await reached(under, 0.25)
  under.pause()
  await sleep(300)
  const { sent } = under.progress
  await sleep(1000)
  const movedWhilePaused = under.progress.sent !== sent
  under.resume()
  await reached(under, 0.5)
  first.signal('SIGKILL')
  await first.ended
  const second = await serve()
  const { uploadId } = await under.done
  const seconds = (performance.now() - begin) / 1000
  const calls = restClient({
    baseUrl: `${second.origin}/v3`,
    appId: app.appId,
    apiKey: app.keys.full,
  })
  const { data } = await calls.sendMessage({
    onBehalfOf: 'ann',
    body: {
      receiver: 'bob',
      receiverType: 'user',
      type: 'video',
      data: { attachments: [{ uploadId }] },
    },
  })
  const url = 'id' in data ? (data.data.attachments?.[0]?.url ?? '') : ''
  const read = await digestAt(url.replace(network.url, second.origin))
  return {
    cuts: network.cuts(),
    seconds,
    movedWhilePaused,
    isIdentical: read === digest,
    memory: memory.map(({ warm, most }) => ({ warm, most: Math.max(warm, ...most()) })),
  }
}

/** Small uploads: what a process loads once is loaded, and its heap is as large as it gets. */
async function warmUp(
  { origin }: Serving,
  { appId, keys }: { readonly appId: string; readonly keys: { readonly full: string } },
  megabytes: number,
): Promise<void> {
  const calls = restClient({ baseUrl: `${origin}/v3`, appId, apiKey: keys.full })
  const direct: typeof fetch = (url, init) =>
    fetch(String(url).replace(/^http:\/\/[^/]+/, origin), init)
  for (let left = megabytes; left > 0; left -= 5) {
    const bytes = new Blob([randomBytes(5 * mebibyte)])
    await upload(calls, bytes, { onBehalfOf: 'bob', fetch: direct }).done
  }
}

async function reached(under: FileUpload, share: number): Promise<void> {
  const isThere = () => {
    const { sent, size } = under.progress
    return under.state !== 'running' || (size > 0 && sent >= size * share)
  }
  while (!isThere()) await sleep(5)
}

async function writeRandom(path: string, size: number): Promise<string> {
  const hash = createHash('sha256')
  const blocks = function* () {
    for (let left = size; left > 0; left -= mebibyte) {
      const block = randomBytes(Math.min(left, mebibyte))
      hash.update(block)
      yield block
    }
  }
  await pipeline(Readable.from(blocks()), createWriteStream(path))
  return hash.digest('hex')
}

async function digestAt(url: string): Promise<string> {
  const hash = createHash('sha256')
  const { body, status } = await fetch(url)
  if (status !== 200 || !body) throw new Error(`The file answers ${status}.`)
  for await (const chunk of body) hash.update(chunk)
  return hash.digest('hex')
}
