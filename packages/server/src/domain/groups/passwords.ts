import type { GroupType } from '@chorale/contract/groups'
import { hash, verify } from '@node-rs/argon2'
import { Failure } from '../../pipeline/failure.ts'

/** Argon2id with the parameters that OWASP names first. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export async function hashPassword(
  type: GroupType,
  password: string | undefined,
): Promise<string | null> {
  if (type !== 'password') return null
  if (!password) throw new Failure('ERR_EMPTY_GROUP_PASS')
  return hash(password, cost)
}

export async function checkPassword(
  passwordHash: string | null,
  password: string | undefined,
): Promise<void> {
  if (!password) throw new Failure('ERR_EMPTY_GROUP_PASS')
  if (passwordHash === null || !(await verify(passwordHash, password))) {
    throw new Failure('ERR_WRONG_GROUP_PASS')
  }
}
