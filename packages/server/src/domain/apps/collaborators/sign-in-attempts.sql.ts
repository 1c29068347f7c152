import { sql } from 'kysely'
import type { InstallDb } from '../../../database/app-db.ts'

export interface SignInAttempt {
  readonly email: string
  readonly address: string
  readonly now: number
}

/** Wrong ones from one address, and from all together. */
const [maxPerAddress, maxPerAccount, windowSeconds] = [5, 50, 900]

/**
 * Counts an attempt before it is made, so that attempts at the same time are counted as well.
 * Undefined: it may be made. Otherwise the time from which one may.
 */
export async function takeSignInAttempt(
  { db }: InstallDb,
  { email, address, now }: SignInAttempt,
): Promise<number | undefined> {
  const taken = await sql`
    insert into sign_in_attempts as known (email, address, attempts, until)
    select ${email}, ${address}, 1, ${now + windowSeconds}::bigint
    where (
      select coalesce(sum(attempts), 0) from sign_in_attempts
      where email = ${email} and until > ${now}
    ) < ${maxPerAccount}
    on conflict (email, address) do update set
      attempts = case when known.until > ${now} then known.attempts + 1 else 1 end,
      until = case when known.until > ${now} then known.until else excluded.until end
    where known.until <= ${now} or known.attempts < ${maxPerAddress}
    returning true`.execute(db)
  if (taken.rows.length > 0) return undefined
  const { rows } = await sql<{ at: number | null }>`
    select coalesce(
      max(until) filter (where address = ${address} and attempts >= ${maxPerAddress}),
      min(until)) as at
    from sign_in_attempts where email = ${email} and until > ${now}`.execute(db)
  return rows[0]?.at ?? now + 1
}

export async function forgetSignInAttempts(
  { db }: InstallDb,
  { email, address, now }: SignInAttempt,
): Promise<void> {
  await sql`
    delete from sign_in_attempts
    where (email = ${email} and address = ${address}) or (email, address) in (
      select email, address from sign_in_attempts where until <= ${now} limit 100
      for update skip locked)`.execute(db)
}
