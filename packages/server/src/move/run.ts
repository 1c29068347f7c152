import { moveFiles } from './files/move-files.ts'
import { moveMembers } from './members.ts'
import { moveMessages } from './messages.ts'
import type { Moving } from './moving.ts'
import { moveGroups, moveRoles, moveUsers } from './people.ts'
import { movePositions } from './positions.ts'
import { moveRelations } from './relations.ts'
import { type Leftover, stepNames } from './state.ts'

export interface MoveReport {
  readonly moved: Readonly<Record<string, number>>
  readonly left: readonly Leftover[]
}

/** Brings everything over, or goes on where it was interrupted. */
export async function runMove(moving: Moving): Promise<MoveReport> {
  await moveRoles(moving)
  await moveUsers(moving)
  await moveGroups(moving)
  await moveMembers(moving)
  await moveMessages(moving)
  await movePositions(moving)
  await moveRelations(moving)
  await moveFiles(moving)
  return reportOf(moving)
}

function reportOf({ state }: Moving): MoveReport {
  const moved = stepNames.map((name) => [name, state.step(name).count] as const)
  return { moved: Object.fromEntries(moved), left: state.leftovers() }
}
