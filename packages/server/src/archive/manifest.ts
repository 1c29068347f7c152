import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PlainError } from '../plain-error.ts'
import { archiveVersion, type Kind } from './format.ts'
import { readJson, saveJson } from './saved-json.ts'

export type Scope =
  | { readonly of: 'app' }
  | { readonly of: 'user'; readonly uid: string }
  | { readonly of: 'conversation'; readonly conversationId: string }

export interface Part {
  readonly file: string
  readonly lines: number
  readonly bytes: number
  /** Of the file as it is stored. */
  readonly sha256: string
}

/** Where an export goes on: behind the last part that is whole. */
export interface Mark {
  readonly step: string
  readonly place?: StepPlace
}

export interface StepPlace {
  readonly page?: number
  readonly cursor?: string
  /** Groups of the page that are done with. */
  readonly done?: number
  readonly lastId?: string
}

export interface Manifest {
  readonly format: 'chorale-archive'
  readonly version: number
  readonly archiveId: string
  readonly appId: string
  readonly source: string
  readonly scope: Scope
  /** Unix seconds. */
  readonly startedAt: number
  /** Undefined while the export is under way. */
  readonly endedAt?: number
  /** Messages with a larger id came later, and are not in it. */
  readonly upTo: string
  readonly recipients: readonly string[]
  readonly counts: Partial<Record<Kind, number>>
  readonly parts: readonly Part[]
  readonly at?: Mark
}

const fileName = 'manifest.json'

export function readManifest(folder: string): Manifest | undefined {
  const manifest = readJson<Manifest>(join(folder, fileName))
  if (!manifest) return undefined
  if (manifest.format !== 'chorale-archive') {
    throw new PlainError(`${join(folder, fileName)} is no manifest of an archive.`)
  }
  if (manifest.version !== archiveVersion) {
    throw new PlainError(
      `The archive has version ${manifest.version}; this program reads version ${archiveVersion}.`,
    )
  }
  return manifest
}

export function saveManifest(folder: string, manifest: Manifest): void {
  saveJson(join(folder, fileName), manifest)
}

export type Beginning = Pick<
  Manifest,
  'appId' | 'source' | 'scope' | 'startedAt' | 'upTo' | 'recipients'
>

export function newManifest(beginning: Beginning): Manifest {
  return {
    format: 'chorale-archive',
    version: archiveVersion,
    archiveId: randomUUID(),
    ...beginning,
    counts: {},
    parts: [],
  }
}

/** The folder, without what a process that was killed has left in it. */
export function clearFolder(folder: string, manifest: Manifest | undefined): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const known = new Set([fileName, ...(manifest?.parts ?? []).map(({ file }) => file)])
  for (const name of readdirSync(folder)) {
    if (known.has(name)) continue
    if (!/^(?:part-\d{5}\.ndjson(?:\.age)?|manifest\.json\.new)$/.test(name)) {
      throw new PlainError(`${join(folder, name)} is no file of an archive: use another folder.`)
    }
    rmSync(join(folder, name))
  }
}
