import { spanOf } from '../move/messages.ts'
import type { Side } from '../move/side.ts'
import { PlainError } from '../plain-error.ts'
import { appSteps } from './app-steps.ts'
import { conversationSteps } from './conversation-steps.ts'
import type { Item, Kind } from './format.ts'
import {
  clearFolder,
  type Manifest,
  type Mark,
  newManifest,
  readManifest,
  type Scope,
  saveManifest,
} from './manifest.ts'
import { PartWriter } from './part-writer.ts'
import type { Management } from './settings.ts'
import type { Step } from './steps.ts'
import { userSteps } from './user-steps.ts'

export interface Exporting {
  readonly from: Side
  readonly folder: string
  readonly scope: Scope
  /** Public keys; none: it is not encrypted. */
  readonly recipients: readonly string[]
  readonly withTokens: boolean
  readonly management: Management | undefined
  readonly linesPerPart: number
  readonly clock: () => number
  progress(step: string, count: number, share?: number): void
}

/** Writes an archive, or goes on behind its last whole part. */
export async function exportArchive(exporting: Exporting): Promise<Manifest> {
  const { folder } = exporting
  const before = readManifest(folder)
  if (before) requireSame(exporting, before)
  clearFolder(folder, before)
  if (before?.endedAt !== undefined) return before
  const begun = before ?? (await begin(exporting))
  if (!before) saveManifest(folder, begun)
  const walk = new Walk(exporting, begun)
  await walk.run(stepsOf(exporting.scope))
  return walk.finish()
}

function stepsOf(scope: Scope): readonly Step[] {
  if (scope.of === 'user') return userSteps(scope.uid)
  if (scope.of === 'conversation') return conversationSteps(scope.conversationId)
  return appSteps
}

/** The mark is taken before anything is read: whoever wrote up to it is in the lists that follow. */
async function begin({ from, scope, recipients, clock }: Exporting): Promise<Manifest> {
  const { last } = await spanOf(from)
  return newManifest({
    appId: from.appId,
    source: from.url,
    scope,
    startedAt: clock(),
    upTo: String(last),
    recipients,
  })
}

function requireSame({ from, scope, recipients, folder }: Exporting, before: Manifest): void {
  const of = (one: Pick<Manifest, 'appId' | 'source' | 'scope' | 'recipients'>) =>
    JSON.stringify([one.appId, one.source, one.scope, one.recipients])
  const now = { appId: from.appId, source: from.url, scope, recipients }
  if (of(now) === of(before)) return
  throw new PlainError(`${folder} has another export: use another folder, or the same options.`)
}

/** Closed at this size, whatever it has: a part is lost when the process is killed. */
const maxPartBytes = 64_000_000

class Walk {
  readonly #exporting: Exporting
  #manifest: Manifest
  #counts: Partial<Record<Kind, number>>
  #writer: PartWriter | undefined

  constructor(exporting: Exporting, manifest: Manifest) {
    this.#exporting = exporting
    this.#manifest = manifest
    this.#counts = { ...manifest.counts }
  }

  async run(steps: readonly Step[]): Promise<void> {
    const { at } = this.#manifest
    const first = at ? steps.findIndex(({ name }) => name === at.step) : 0
    if (first < 0) throw new PlainError('The export was begun by another version: begin anew.')
    for (const step of steps.slice(first)) {
      await this.#step(step, step.name === at?.step ? at : undefined)
    }
  }

  async #step({ name, pages }: Step, at: Mark | undefined): Promise<void> {
    const { from, withTokens, management, progress, linesPerPart } = this.#exporting
    const source = { from, withTokens, management, upTo: this.#manifest.upTo }
    let count = 0
    for await (const { items, next, share } of pages(source, at?.place)) {
      await this.#write(items)
      count += items.length
      progress(name, count, share)
      const { lines = 0, bytes = 0 } = this.#writer ?? {}
      const isFull = lines >= linesPerPart || bytes >= maxPartBytes
      if (next && isFull) await this.#close({ step: name, place: next })
    }
  }

  async #write(items: readonly Item[]): Promise<void> {
    if (items.length === 0) return
    const { folder, recipients } = this.#exporting
    const number = this.#manifest.parts.length + 1
    this.#writer ??= await PartWriter.open(folder, number, recipients)
    await this.#writer.write(items)
    for (const { kind } of items) this.#counts[kind] = (this.#counts[kind] ?? 0) + 1
  }

  async #close(at: Mark | undefined): Promise<void> {
    const { at: _, ...before } = this.#manifest
    const part = await this.#writer?.close()
    this.#writer = undefined
    this.#manifest = {
      ...before,
      counts: { ...this.#counts },
      parts: part ? [...before.parts, part] : before.parts,
      ...(at ? { at } : { endedAt: this.#exporting.clock() }),
    }
    saveManifest(this.#exporting.folder, this.#manifest)
  }

  async finish(): Promise<Manifest> {
    await this.#close(undefined)
    return this.#manifest
  }
}
