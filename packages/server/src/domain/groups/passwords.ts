import type { GroupType } from '@chorale/contract/groups'
import { NoSlot } from '../../limits/fair-slots.ts'
import { Failure, tooManyRequests } from '../../pipeline/failure.ts'
import type { ReadCtx } from '../../pipeline/handler.ts'
import type { Passwords } from '../../vault/passwords.ts'
import type { GroupFacts } from './groups.sql.ts'
import {
  type AttemptLimits,
  clearAttempts,
  findNextAttempt,
  forgetAttempts,
  takeAttempt,
} from './password-attempts.sql.ts'

const limits: AttemptLimits = { maxPerUser: 5, maxPerGroup: 100, windowSeconds: 900 }

/** Before the transaction: hashing takes long on purpose. `null`: a group of this type has none. */
export async function hashPassword(
  passwords: Passwords,
  { app }: Pick<ReadCtx, 'app'>,
  type: GroupType,
  password: string | undefined,
): Promise<string | null> {
  if (type !== 'password') return null
  if (!password) throw new Failure('ERR_EMPTY_GROUP_PASS')
  return passwords.hash(app.appId, password).catch(throwBusy)
}

/** Before the transaction. The caller checks in it that the group still has this hash. */
export async function checkPassword(
  passwords: Passwords,
  { db, now }: ReadCtx,
  { guid, passwordHash }: GroupFacts,
  uid: string,
  password: string | undefined,
): Promise<void> {
  if (!password) throw new Failure('ERR_EMPTY_GROUP_PASS')
  if (passwordHash === null) throw new Failure('ERR_WRONG_GROUP_PASS')
  const attempt = { guid, uid, now }
  const admit = async () => {
    if (await takeAttempt(db, attempt, limits)) return
    const next = await findNextAttempt(db, attempt, limits)
    throw tooManyRequests('wrong passwords for this group', Math.max(1, next - now))
  }
  const right = await passwords.verify(db.appId, passwordHash, password, admit).catch(throwBusy)
  if (right) return forgetAttempts(db, guid, uid)
  await clearAttempts(db, now)
  throw new Failure('ERR_WRONG_GROUP_PASS')
}

function throwBusy(error: unknown): never {
  throw error instanceof NoSlot ? tooManyRequests('passwords are checked one by one', 1) : error
}
