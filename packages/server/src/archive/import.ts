import type { Side } from '../move/side.ts'
import { PlainError } from '../plain-error.ts'
import type { Item, Kind } from './format.ts'
import { importBatch } from './import-batch.ts'
import { ImportState } from './import-state.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { itemsOf } from './part-reader.ts'
import type { Management } from './settings.ts'

export interface Importing {
  readonly to: Side
  readonly folder: string
  /** A file. */
  readonly state: string
  /** Secret keys. */
  readonly identities: readonly string[]
  readonly management: Management | undefined
  progress(step: string, count: number, share?: number): void
}

const maxBatch = 2000

/** Every line of the parts that are not imported yet. */
export async function checkArchive(
  { folder, identities, progress }: Pick<Importing, 'folder' | 'identities' | 'progress'>,
  { parts }: Manifest,
  from = 0,
): Promise<number> {
  const all = parts.slice(from).reduce((sum, { lines }) => sum + lines, 0)
  let count = 0
  for (const part of parts.slice(from)) {
    for await (const _ of itemsOf(folder, part, identities)) {
      count += 1
      if (count % 10_000 === 0) progress('check', count, count / all)
    }
  }
  return count
}

/** Throws where there is none, or where its export has not ended. */
export function requireArchive(folder: string): Manifest {
  const manifest = readManifest(folder)
  if (!manifest) throw new PlainError(`There is no archive in ${folder}.`)
  if (manifest.endedAt === undefined) {
    throw new PlainError('The export has not ended: run `chorale export` again, it goes on.')
  }
  return manifest
}

/** Brings along what an archive has, or goes on where it was interrupted. */
export async function importArchive(importing: Importing) {
  const manifest = requireArchive(importing.folder)
  if (manifest.scope.of === 'user') {
    throw new PlainError('An archive of one user is to be read: it cannot be imported.')
  }
  const { to, progress } = importing
  const state = ImportState.open(importing.state, manifest.archiveId, `${to.appId} at ${to.url}`)
  if (!state.at.done) await checkArchive(importing, manifest, state.at.parts)
  const all = manifest.parts.reduce((sum, { lines }) => sum + lines, 0)
  let before = manifest.parts.slice(0, state.at.parts).reduce((sum, { lines }) => sum + lines, 0)
  for (const [place, part] of manifest.parts.entries()) {
    if (place < state.at.parts) continue
    for await (const { items, kind, lines } of batchesOf(importing, part, state.at.lines)) {
      state.leave(await importBatch(importing, kind, items))
      state.save({ parts: place, lines, done: false })
      progress('import', before + lines, (before + lines) / all)
    }
    before += part.lines
    state.save({ parts: place + 1, lines: 0, done: false })
  }
  state.save({ parts: manifest.parts.length, lines: 0, done: true })
  return { counts: manifest.counts, left: state.leftovers() }
}

interface Batch {
  readonly kind: Kind
  readonly items: readonly object[]
  /** Of the part, up to the last of the batch. */
  readonly lines: number
}

/** Neighbours of one kind, together. */
async function* batchesOf(
  { folder, identities }: Importing,
  part: Manifest['parts'][number],
  skip: number,
): AsyncGenerator<Batch> {
  let batch: Item[] = []
  let lines = 0
  const taken = (kind: Kind) => ({ kind, items: batch.map(({ item }) => item), lines })
  for await (const line of itemsOf(folder, part, identities)) {
    const [first] = batch
    if (first && (first.kind !== line.kind || batch.length === maxBatch)) {
      yield taken(first.kind)
      batch = []
    }
    lines += 1
    if (lines > skip) batch.push(line)
  }
  const [first] = batch
  if (first) yield taken(first.kind)
}
