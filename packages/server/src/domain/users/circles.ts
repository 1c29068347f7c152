import type { AppDb } from '../../database/app-db.ts'
import { findCircle } from './circles.sql.ts'
import { shown } from './user-view.ts'
import { findUser } from './users.sql.ts'

/** Whom a user knows: whose coming and going they hear of, and who is silent for them. */
export async function circleOf(db: AppDb, uid: string) {
  const { friends, blocked } = await findCircle(db, uid)
  return { friends: new Set(friends), blocked: new Set(blocked) }
}

/** A user as they see themselves, as JSON text. */
export async function printSelf(db: AppDb, uid: string): Promise<string> {
  const row = await findUser(db, uid, undefined)
  if (!row) throw new Error('The user is gone.')
  return JSON.stringify(shown(row, { withTags: true }))
}
