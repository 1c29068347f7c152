import type { MovingFiles } from './files/moving-files.ts'
import type { Side } from './side.ts'
import type { MoveState, StepName } from './state.ts'

/** What every step of a move is given. */
export interface Moving {
  readonly from: Side
  readonly to: Side
  readonly state: MoveState
  /** Devices stay signed in; a call more for each user. */
  readonly withTokens: boolean
  /** Friends and blocked users come along; two calls more for each user. */
  readonly withRelations: boolean
  /** Undefined: files stay where they are. */
  readonly files?: MovingFiles | undefined
  /** `share`: how much of the step is done, where that is known. */
  progress(step: StepName | 'files found' | 'hand-over', count: number, share?: number): void
}
