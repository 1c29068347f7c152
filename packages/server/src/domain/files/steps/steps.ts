import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Scanner, ScannerBroken } from '../../../inspection/clamd.ts'
import type { Broken, Inspectors } from '../../../inspection/inspectors.ts'
import type { MediaReader } from '../../../inspection/media.ts'
import type { Answer, Made, Picture } from '../../../inspection/question.ts'
import { keyOf, type Storage } from '../../../storage/storage.ts'
import type { FileCheckJob } from '../checks.sql.ts'
import type { FileFinding, FileStep } from '../checks.ts'
import type { FileFacts } from '../files.sql.ts'

export interface FileStepOptions {
  readonly inspectors: Inspectors
  /** Undefined: the operator has none. */
  readonly scanner: Scanner | undefined
  /** Undefined: nothing is found out about sound and video but their types. */
  readonly media: MediaReader | undefined
  readonly maxPixels: number
}

type About = NonNullable<FileFacts['about']>

/** While a scanner or a process that looks at files is away. */
const laterMs = 15_000
/** A file that ends so many processes, ours or the scanner, is the reason. */
const maxBroken = 3

/** What every file goes through. */
export function fileSteps(options: FileStepOptions): readonly FileStep[] {
  const { scanner } = options
  // The scanner last: it opens pictures and archives as well, without our limits.
  return [holdStep, lookStep(options), ...(scanner ? [scanStep(scanner)] : [])]
}

/**
 * Its sender can bring it again for a day, at the same address: what is checked and shown is a copy that
 * they cannot change.
 */
const holdStep: FileStep = {
  name: 'hold',
  async run({ appId, fileId, mimeType: type, size }, storage, report) {
    report('received')
    const key = heldKey({ appId, fileId })
    await storage.copy(keyOf(appId, fileId), { key, type })
    const held = await storage.find(key)
    if (held?.size !== size) return { is: 'refused', why: 'it is not as long as was announced' }
    return { is: 'passed' }
  },
}

const scanStep = (scanner: Scanner): FileStep => ({
  name: 'scan',
  async run(file, storage, report) {
    report('scan')
    const bytes = await storage.read(heldKey(file))
    try {
      const found = await scanner.scan(bytes)
      return found === undefined ? { is: 'passed' } : { is: 'refused', why: `virus: ${found}` }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const why = `It could not be scanned for viruses: ${reason}`
      if (error instanceof ScannerBroken) return brokenBy(file, { why })
      return { is: 'later', afterMs: laterMs, why }
    }
  },
})

const lookStep = (options: FileStepOptions): FileStep => ({
  name: 'look',
  async run(file, storage, report) {
    report('type')
    const folder = await mkdtemp(join(tmpdir(), 'chorale-file-'))
    try {
      const path = join(folder, 'held')
      await pipeline(await storage.read(heldKey(file)), createWriteStream(path))
      const { name, mimeType: declared } = file
      const { inspectors, maxPixels } = options
      const answer = await inspectors.look({ path, folder, name, declared, maxPixels })
      if (answer.is === 'refused') return answer
      if (answer.is === 'broken') return brokenBy(file, answer)
      if (answer.made.length > 0 || options.media) report('thumbnails')
      return {
        is: 'passed',
        facts: { about: await aboutOf(options, { file, storage, folder, answer }) },
      }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
})

interface Looked {
  readonly file: FileCheckJob
  readonly storage: Storage
  readonly folder: string
  readonly answer: Extract<Answer, { is: 'passed' }>
}

async function aboutOf(options: FileStepOptions, looked: Looked): Promise<About> {
  const { file, storage, folder, answer } = looked
  const { type, picture } = answer
  const sizes = await store(storage, file, answer.made)
  const clean = sizes.get('clean')
  if (clean !== undefined) return { part: 'clean', size: clean, type, ...picture }
  const held = { part: 'held', size: file.size, type } as const
  if (!options.media) return held
  const { poster, ...media } = await options.media.read(join(folder, 'held'), type, folder)
  const shown = poster === undefined ? undefined : await postersOf(options, looked, poster)
  return { ...held, ...media, ...(shown && { thumbhash: shown.thumbhash }) }
}

/** The thumbnails of a video are those of a picture of it. */
async function postersOf(
  { inspectors, maxPixels }: FileStepOptions,
  { file, storage, folder }: Looked,
  path: string,
): Promise<Picture | undefined> {
  const question = { path, folder, name: 'poster.png', declared: 'image/png', maxPixels }
  const answer = await inspectors.look(question)
  if (answer.is !== 'passed') return undefined
  await store(
    storage,
    file,
    answer.made.filter(({ part }) => part !== 'clean'),
  )
  return answer.picture
}

/** The machine may be at fault; not again and again. */
function brokenBy({ facts }: FileCheckJob, { why }: Pick<Broken, 'why'>): FileFinding {
  const broken = (facts.broken ?? 0) + 1
  if (broken >= maxBroken) return { is: 'refused', why: `it could not be checked: ${why}` }
  return { is: 'later', afterMs: laterMs, why, facts: { broken } }
}

async function store(
  storage: Storage,
  { appId, fileId }: FileCheckJob,
  made: readonly Made[],
): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>()
  for (const { part, path, type } of made) {
    const { size } = await stat(path)
    await storage.write({ key: keyOf(appId, fileId, part), size, type }, createReadStream(path))
    sizes.set(part, size)
  }
  return sizes
}

function heldKey({ appId, fileId }: Pick<FileCheckJob, 'appId' | 'fileId'>): string {
  return keyOf(appId, fileId, 'held')
}
