import type { User as WireUser } from '@chorale/sdk'
import { User, userOf } from '../entities/user.ts'
import { loginIfAny } from './state.ts'

const maxKnown = 1000
const known = new Map<string, WireUser>()

/** Frames name users by their uids, listeners are given users. */
export function remember(user: WireUser): void {
  known.delete(user.uid)
  known.set(user.uid, user)
  const [oldest] = known.keys()
  if (known.size > maxKnown && oldest !== undefined) known.delete(oldest)
}

export function forgetPeople(): void {
  known.clear()
}

export async function personOf(uid: string): Promise<User> {
  const found = known.get(uid) ?? (await lookUp(uid))
  if (!found) return new User(uid)
  remember(found)
  return userOf(found)
}

async function lookUp(uid: string): Promise<WireUser | undefined> {
  try {
    return (await loginIfAny()?.calls.getUser({ params: { uid } }))?.data
  } catch {
    // A listener hears of the event all the same, with a user that has only a uid.
    return undefined
  }
}
