import type { Side } from '../move/side.ts'
import type { Item } from './format.ts'
import type { StepPlace } from './manifest.ts'
import type { Management } from './settings.ts'

/** What every step of an export is given. */
export interface Source {
  readonly from: Side
  /** Messages with a larger id are left out. */
  readonly upTo: string
  /** Devices of users stay signed in after an import; a call more for each. */
  readonly withTokens: boolean
  readonly management: Management | undefined
}

export interface Pages {
  readonly items: readonly Item[]
  /** Where the step goes on behind these; undefined: nowhere yet, for more belongs to them. */
  readonly next?: StepPlace
  /** How much of the step is done, where that is known. */
  readonly share?: number
}

/** A walk through one list, which can begin again in the middle. */
export interface Step {
  readonly name: string
  pages(source: Source, from: StepPlace | undefined): AsyncGenerator<Pages>
}
