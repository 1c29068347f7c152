import {
  appendFileSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { PlainError } from '../plain-error.ts'
import type { Place } from './lists.ts'

export const stepNames = [
  'roles',
  'users',
  'groups',
  'members',
  'messages',
  'positions',
  'files',
] as const
export type StepName =
  | (typeof stepNames)[number]
  | 'follow'
  | 'relations'
  | 'heard'
  | 'cut-over'
  | 'back'
  | 'reactions'

/** How far a step has come. */
export interface Step {
  readonly done: boolean
  readonly count: number
  /** Of a list. */
  readonly place?: Place
  /** Of messages. */
  readonly lastId?: string
  /** Unix seconds: nothing before is missing. */
  readonly sentAt?: number
  /** Of a file. */
  readonly offset?: number
  /** Of events. */
  readonly after?: string | undefined
}

interface Saved {
  readonly version: 1
  readonly from: string
  readonly to: string
  readonly steps: Partial<Record<StepName, Step>>
}

/** What could not be moved, and why. */
export interface Leftover {
  readonly kind: string
  readonly id: string
  readonly why: string
}

/**
 * What a move remembers, in a file: after a crash it goes on from there, and does at most a page again.
 * Beside it, a file of lines says what could not be moved.
 */
export class MoveState {
  readonly #path: string
  #saved: Saved

  private constructor(path: string, saved: Saved) {
    this.#path = path
    this.#saved = saved
  }

  static open(path: string, from: string, to: string): MoveState {
    const saved = read(path) ?? { version: 1, from, to, steps: {} }
    if (saved.from !== from || saved.to !== to) {
      throw new PlainError(`${path} is of a move from ${saved.from} to ${saved.to}.`)
    }
    return new MoveState(path, saved)
  }

  step(name: StepName): Step {
    return this.#saved.steps[name] ?? { done: false, count: 0 }
  }

  /** The file is the old one or the new one, whenever the process ends. */
  save(name: StepName, step: Step): void {
    this.#saved = { ...this.#saved, steps: { ...this.#saved.steps, [name]: step } }
    const fresh = `${this.#path}.new`
    const file = openSync(fresh, 'w')
    try {
      writeFileSync(file, JSON.stringify(this.#saved))
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(fresh, this.#path)
  }

  /** Is done once more, from its beginning. */
  restart(name: StepName): void {
    this.save(name, { done: false, count: 0 })
  }

  leave(leftovers: readonly Leftover[]): void {
    if (leftovers.length === 0) return
    const lines = leftovers.map((one) => `${JSON.stringify(one)}\n`)
    appendFileSync(`${this.#path}.left`, lines.join(''))
  }

  /** What is tried again from its beginning is not left yet. */
  forget(kinds: readonly string[]): void {
    const kept = this.leftovers().filter(({ kind }) => !kinds.includes(kind))
    writeFileSync(`${this.#path}.left`, kept.map((one) => `${JSON.stringify(one)}\n`).join(''))
  }

  /** Each once, however often it was tried. */
  leftovers(): Leftover[] {
    const lines = readText(`${this.#path}.left`)?.split('\n') ?? []
    const whole = lines.filter((line) => line.endsWith('}'))
    return [...new Set(whole)].map((line): Leftover => JSON.parse(line))
  }
}

function read(path: string): Saved | undefined {
  const text = readText(path)
  return text === undefined ? undefined : JSON.parse(text)
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
