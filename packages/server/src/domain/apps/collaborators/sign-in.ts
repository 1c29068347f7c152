import { randomBytes } from 'node:crypto'
import type { sessions as contract } from '@chorale/contract/apps'
import type { InstallDb } from '../../../database/app-db.ts'
import { writeAuditLog } from '../../../database/audit-log.ts'
import { NoSlot } from '../../../limits/fair-slots.ts'
import type { Transactions } from '../../../outbox/unit-of-work.ts'
import { Failure, tooManyRequests } from '../../../pipeline/failure.ts'
import type { InstallHandlers } from '../../../pipeline/handler.ts'
import type { Passwords } from '../../../vault/passwords.ts'
import type { Vault } from '../../../vault/vault.ts'
import { findPerson, updatePerson } from './people.sql.ts'
import { useCode } from './second-factor.ts'
import { deleteSessionOf, deleteSessions, type SessionRow } from './sessions.sql.ts'
import { hashOfSession, type SessionRules, selfOf, startSession } from './sessions.ts'
import { forgetSignInAttempts, takeSignInAttempt } from './sign-in-attempts.sql.ts'

/** Of the browser that wants to sign in. */
export interface Browser {
  readonly address: string
  readonly userAgent: string
  readonly requestId: string
  /** What its cookie holds already: it ends, so that nobody can plant one. */
  readonly session: string | undefined
}

export interface PasswordSignIn {
  readonly email: string
  readonly password: string
  readonly code?: string | undefined
}

export interface SignInParts {
  /** For what is read before anything is written. */
  readonly db: InstallDb
  readonly transactions: Transactions
  readonly vault: Vault
  readonly passwords: Passwords
  readonly rules: SessionRules
  readonly clock: () => number
}

/** No app has this name: people have a share of the hashing of their own. */
const hashedFor = ''

/** Throws the failure that it deserves; otherwise what the cookie is to hold. */
export async function signInByPassword(
  parts: SignInParts,
  given: PasswordSignIn,
  browser: Browser,
): Promise<{ session: string }> {
  const { db: install, transactions, passwords, clock, vault } = parts
  const email = given.email.toLowerCase()
  const now = clock()
  const attempt = { email, address: browser.address, now }
  const person = await findPerson(install, { email })
  const right = await verify(
    parts,
    attempt,
    person?.passwordHash ?? (await unknowable(passwords)),
    {
      password: given.password,
    },
  )
  if (!person?.passwordHash || !right) throw new Failure('ERR_SIGN_IN_REFUSED')
  const { id, name } = person
  const { code } = given
  if (person.totpConfirmedAt !== null && code === undefined) {
    throw new Failure('ERR_SECOND_FACTOR_NEEDED')
  }
  return transactions.inInstall(async ({ db }) => {
    if (person.totpConfirmedAt !== null && !(await useCode(db, vault, id, code ?? '', now))) {
      throw new Failure('ERR_SIGN_IN_REFUSED')
    }
    await forgetSignInAttempts(db, attempt)
    return enter(db, parts, { id, name, email, method: 'password' }, browser)
  })
}

interface Entering {
  readonly id: number
  readonly name: string
  readonly email: string
  readonly method: SessionRow['method']
}

/** In a transaction: the session, and the line of the audit log that tells of it. */
export async function enter(
  { db }: InstallDb,
  { vault, rules, clock }: SignInParts,
  { id, name, email, method }: Entering,
  { session: before, address, userAgent, requestId }: Browser,
): Promise<{ session: string }> {
  const now = clock()
  if (before !== undefined) await deleteSessionOf({ db }, hashOfSession(vault, before))
  const wanted = { collaboratorId: id, method, address, userAgent }
  const { session, sessionId } = await startSession({ db }, vault, rules, wanted, now)
  await writeAuditLog(db, {
    appId: '',
    at: now,
    caller: `collaborator:${email}`,
    collaboratorId: id,
    name,
    keyId: sessionId,
    operation: 'signIn',
    input: { method },
    requestId,
    address,
  })
  return { session }
}

type Own = Pick<typeof contract, 'changePassword'>

export function passwordHandlers(passwords: Passwords): InstallHandlers<Own, 'changePassword'> {
  return {
    changePassword: {
      async prepare({ body }, { db, caller, now }) {
        const { collaboratorId, email, sessionId } = selfOf(caller)
        const person = await findPerson(db, { id: collaboratorId })
        if (!person?.passwordHash) throw new Failure('ERR_SIGN_IN_REFUSED')
        // Counted apart from those of strangers, who cannot keep the person from it.
        const attempt = { email, address: 'signed in', now }
        const right = await verify({ db, passwords }, attempt, person.passwordHash, body)
        if (!right) throw new Failure('ERR_SIGN_IN_REFUSED')
        const passwordHash = await hashPassword(passwords, body.newPassword)
        return async (ctx) => {
          await updatePerson(ctx.db, collaboratorId, { passwordHash })
          await deleteSessions(ctx.db, collaboratorId, { but: sessionId })
          await forgetSignInAttempts(ctx.db, attempt)
          return { data: { success: true, message: 'The password is changed.' } }
        }
      },
    },
  }
}

export function hashPassword(passwords: Passwords, password: string): Promise<string> {
  return passwords.hash(hashedFor, password).catch(throwBusy)
}

/** Counted before it is made: wrong ones at the same time are counted as well. */
async function verify(
  { db, passwords }: { readonly db: InstallDb; readonly passwords: Passwords },
  attempt: Parameters<typeof takeSignInAttempt>[1],
  passwordHash: string,
  { password }: { readonly password: string },
): Promise<boolean> {
  const admit = async () => {
    const from = await takeSignInAttempt(db, attempt)
    if (from === undefined) return
    throw tooManyRequests('wrong passwords for this account', Math.max(1, from - attempt.now))
  }
  return passwords.verify(hashedFor, passwordHash, password, admit).catch(throwBusy)
}

function throwBusy(error: unknown): never {
  throw error instanceof NoSlot ? tooManyRequests('passwords are checked one by one', 1) : error
}

let nobodys: Promise<string> | undefined

/** An unknown account takes as long to refuse as a known one. */
function unknowable(passwords: Passwords): Promise<string> {
  nobodys ??= hashPassword(passwords, randomBytes(16).toString('hex')).catch((error) => {
    nobodys = undefined
    throw error
  })
  return nobodys
}
