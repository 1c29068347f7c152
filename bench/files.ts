import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { restClient } from '../packages/sdk/src/index.ts'
import { openClamd } from '../packages/server/src/inspection/clamd.ts'
import { photoOf } from '../packages/testing/src/files/photo.ts'
import { startClamd } from '../packages/testing/src/providers/clamd.ts'
import type { Bench, BenchContext } from './harness/context.ts'
import { loadConversations } from './harness/conversations.ts'
import { rounded } from './harness/figures.ts'
import { residentMb } from './harness/memory.ts'
import { type PacedResult, pacedSends, runInSeconds } from './harness/paced.ts'

const atOnce = 8
const scansAtOnce = 2
const sendsPerSecond = 50
const thumbnailsOfPicture = 3
const filesUrl = 'http://files.localhost'

export const bench: Bench = {
  name: 'files',
  summary:
    'pictures checked, scanned and written anew, with thumbnails, and sends of an app beside it',
  async run(ctx) {
    await using stack = new AsyncDisposableStack()
    const clamd = stack.use(await startClamd())
    const folder = await mkdtemp(join(tmpdir(), 'bench-files-'))
    stack.defer(() => rm(folder, { recursive: true }))
    const seconds = ctx.options.seconds ?? 20
    const photo = await photoOf(1600, 1200)
    const scans = await scansPerSecond(clamd.socket, photo, Math.min(5, seconds))
    const served = await serve(ctx, { folder, socket: clamd.socket })
    const pace = { perSecond: sendsPerSecond, seconds }
    ctx.say(`${seconds} s of sends alone, and beside pictures`)
    const alone = await pacedSends(served.live, pace)
    const [among, checked] = await Promise.all([
      pacedSends(served.live, pace),
      checkPictures(served, photo, seconds + runInSeconds),
    ])
    const rowOf = (beside: string, { p50Ms, p99Ms }: PacedResult) => ({
      beside,
      'p50 ms': rounded(p50Ms),
      'p99 ms': rounded(p99Ms),
    })
    const figures = {
      'pictures/s': rounded(checked.perSecond),
      'thumbnails/s': rounded(checked.perSecond * thumbnailsOfPicture),
      'worker MB': Math.round(checked.workerMb),
      'its processes MB': Math.round(checked.processesMb),
    }
    return {
      tables: [
        {
          title: `Pictures of 1600 × 1200, ${Math.round(photo.length / 1000)} kB`,
          rows: [figures],
        },
        { title: 'ClamAV with one signature', rows: [{ 'scans/s': Math.round(scans) }] },
        {
          title: `Sends of another app, ${sendsPerSecond}/s`,
          rows: [rowOf('nothing', alone), rowOf('pictures', among)],
        },
      ],
      goals: [
        {
          what: 'send p50 beside pictures, times without',
          value: rounded(among.p50Ms / alone.p50Ms),
          atMost: 1.1,
        },
        { what: 'pictures that were not ready', value: checked.others, atMost: 0 },
      ],
      notes: [`${checked.ready} pictures were checked, ${atOnce} under way at once.`],
    }
  },
}

interface Checking {
  readonly origin: string
  readonly workerPid: number
  readonly live: { readonly origin: string; readonly appId: string; readonly apiKey: string }
  readonly files: { readonly appId: string; readonly apiKey: string }
}

async function serve(
  ctx: BenchContext,
  { folder, socket }: { readonly folder: string; readonly socket: string },
): Promise<Checking> {
  const { url, query } = await ctx.freshDatabase()
  const settings = { FILES_FOLDER: folder, FILES_URL: filesUrl, CLAMAV_SOCKET: socket }
  const { api, worker, apps } = await ctx.serveWorking(url, ['live', 'files'], settings)
  await loadConversations(query, [apps.live.appId])
  const live = { origin: api.origin, ...apps.live }
  return { origin: api.origin, workerPid: worker.pid, live, files: apps.files }
}

async function scansPerSecond(address: string, bytes: Buffer, seconds: number): Promise<number> {
  const scanner = openClamd({ address, timeoutMs: 10_000 })
  const until = Date.now() + seconds * 1000
  const work = async () => {
    let scans = 0
    for (; Date.now() < until; scans++) await scanner.scan(Readable.from([bytes]))
    return scans
  }
  const all = await Promise.all(Array.from({ length: scansAtOnce }, work))
  return all.reduce((sum, one) => sum + one, 0) / seconds
}

async function checkPictures(
  { origin, workerPid, files }: Checking,
  photo: Buffer,
  seconds: number,
) {
  const client = restClient({ baseUrl: `${origin}/v3`, ...files })
  const until = Date.now() + seconds * 1000
  const most = { worker: 0, processes: 0 }
  const watching = setInterval(() => {
    const pids = childrenOf(workerPid)
    const processes = pids.reduce((sum, pid) => sum + residentNow(pid), 0)
    most.processes = Math.max(most.processes, processes)
    most.worker = Math.max(most.worker, residentNow(workerPid))
  }, 250)
  const work = async () => {
    const states: string[] = []
    while (Date.now() < until) states.push(await checkOne(client, origin, photo))
    return states
  }
  const began = Date.now()
  const states = (await Promise.all(Array.from({ length: atOnce }, work))).flat()
  clearInterval(watching)
  const ready = states.filter((state) => state === 'ready').length
  return {
    ready,
    others: states.length - ready,
    perSecond: ready / ((Date.now() - began) / 1000),
    workerMb: most.worker,
    processesMb: most.processes,
  }
}

async function checkOne(client: ReturnType<typeof restClient>, origin: string, photo: Buffer) {
  const body = { name: 'photo.jpg', size: photo.length, mimeType: 'image/jpeg' }
  const { data } = await client.createUpload({ body })
  const params = { uploadId: data.uploadId }
  if (!data.put) throw new Error('The picture is larger than a part.')
  const { url, headers } = data.put
  const brought = await fetch(url.replace(filesUrl, origin), {
    method: 'PUT',
    body: new Uint8Array(photo),
    ...(headers && { headers }),
  })
  if (!brought.ok) throw new Error(`A picture was not taken: ${brought.status}`)
  await client.completeUpload({ params })
  for (;;) {
    const { state } = (await client.getUpload({ params })).data
    if (state !== 'checking') return state
    await sleep(200)
  }
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((one) => parentOf(one) === pid)
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    return undefined
  }
}

/** Nothing of one that has just ended. */
function residentNow(pid: number): number {
  try {
    return residentMb(pid).now || 0
  } catch {
    return 0
  }
}
