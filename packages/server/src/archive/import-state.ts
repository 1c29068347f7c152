import { appendFileSync, readFileSync } from 'node:fs'
import type { Leftover } from '../move/state.ts'
import { PlainError } from '../plain-error.ts'
import { readJson, saveJson } from './saved-json.ts'

interface Saved {
  readonly archiveId: string
  readonly to: string
  /** Parts that are done with, and lines of the next one. */
  readonly parts: number
  readonly lines: number
  readonly done: boolean
}

/** How far an import has come. After a crash it does at most a batch again. */
export class ImportState {
  readonly #path: string
  #saved: Saved

  private constructor(path: string, saved: Saved) {
    this.#path = path
    this.#saved = saved
  }

  static open(path: string, archiveId: string, to: string): ImportState {
    const begun = { archiveId, to, parts: 0, lines: 0, done: false }
    const saved = readJson<Saved>(path) ?? begun
    if (saved.archiveId !== archiveId || saved.to !== to) {
      throw new PlainError(`${path} is of another import: name another file with --state.`)
    }
    return new ImportState(path, saved)
  }

  get at(): Saved {
    return this.#saved
  }

  save(to: Pick<Saved, 'parts' | 'lines' | 'done'>): void {
    this.#saved = { ...this.#saved, ...to }
    saveJson(this.#path, this.#saved)
  }

  leave(leftovers: readonly Leftover[]): void {
    if (leftovers.length === 0) return
    const lines = leftovers.map((one) => `${JSON.stringify(one)}\n`)
    appendFileSync(`${this.#path}.left`, lines.join(''))
  }

  /** Each once, however often it was tried. */
  leftovers(): Leftover[] {
    const lines = new Set(this.#leftText().split('\n'))
    return [...lines].filter((line) => line.endsWith('}')).map((line) => JSON.parse(line))
  }

  #leftText(): string {
    try {
      return readFileSync(`${this.#path}.left`, 'utf8')
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
      throw error
    }
  }
}
