import type { AppDb } from '../../../database/app-db.ts'
import type { AppTransaction, Transactions } from '../../../outbox/unit-of-work.ts'
import { Failure } from '../../../pipeline/failure.ts'
import { mask } from '../../../vault/mask.ts'
import { placeIn, sealedColumns } from '../../../vault/sealed-columns.ts'
import type { Vault } from '../../../vault/vault.ts'
import type { SignIn } from '../../apps/index.ts'
import { roleExists } from '../../roles/index.ts'
import { maxTokens } from '../auth-tokens.ts'
import { existingUids, findUser } from '../users.sql.ts'
import { addUser, changeUser } from '../users.ts'
import { type Profile, profileOf, refusal } from './claims.ts'
import { findIssuerByName, type IssuerRow } from './issuers.sql.ts'
import type { KeySets } from './key-sets.ts'
import { insertJwtSession, isJwtRevoked } from './sessions.sql.ts'
import { issuerNamedIn, type VerifiedJwt, verifyJwt } from './verify.ts'

export interface SignInParts {
  readonly dbOf: (appId: string) => AppDb
  readonly transactions: (appId: string) => Transactions
  readonly vault: Vault
  readonly keySets: KeySets
  readonly clock: () => number
}

/** A JWT that nobody has shown yet, by its hash. */
interface Shown {
  readonly appId: string
  readonly token: string
  readonly tokenHash: Buffer
}

/**
 * Verifies a JWT and keeps it among the auth tokens, as a session of its user. From then on it is
 * found, remembered and ended as an auth token is.
 */
export function openJwtSignIn(parts: SignInParts): SignIn {
  const underWay = new Map<string, Promise<void>>()
  return (shown) => {
    const name = `${shown.appId} ${shown.tokenHash.toString('latin1')}`
    const known = underWay.get(name)
    if (known !== undefined) return known
    const signingIn = signIn(parts, shown).finally(() => underWay.delete(name))
    underWay.set(name, signingIn)
    return signingIn
  }
}

async function signIn(parts: SignInParts, shown: Shown): Promise<void> {
  const { appId, token } = shown
  const name = issuerNamedIn(token)
  const issuer = await findIssuerByName(parts.dbOf(appId), name)
  if (!issuer) throw refusal('the app does not trust its issuer')
  const keys = parts.keySets.keysOf({ ...issuer, appId, issuerId: issuer.id })
  const jwt = await verifyJwt(token, issuer, keys, parts.clock())
  const profile = profileOf(jwt.claims, issuer.settings)
  await parts.transactions(appId).inApp(appId, async (ctx) => {
    await ensureUser(ctx, profile, issuer)
    await keepSession(ctx, parts.vault, { ...shown, ...jwt, uid: profile.uid, issuer })
  })
}

/** Held until the end: what ends the tokens of a user waits for this, or this for that. */
async function ensureUser(ctx: AppTransaction, profile: Profile, issuer: IssuerRow): Promise<void> {
  const { uid } = profile
  const isThere = async () => (await existingUids(ctx.db, [uid], { alone: true })).has(uid)
  const { createUsers, updateUsers } = issuer.settings
  if (await isThere()) {
    if (updateUsers) await updateUser(ctx, profile, issuer)
    return
  }
  if (!createUsers) throw refusal('its user does not exist')
  const { name = uid, avatar } = profile
  const role = await knownRole(ctx, profile.role)
  await addUser(ctx, { uid, name, ...(avatar && { avatar }), ...(role && { role }) })
  // Taken by a user who is deactivated.
  if (!(await isThere())) throw new Failure('AUTH_ERR_AUTH_TOKEN_NOT_FOUND')
}

async function updateUser(ctx: AppTransaction, profile: Profile, issuer: IssuerRow): Promise<void> {
  const user = await findUser(ctx.db, profile.uid, undefined)
  if (!user) return
  const { name = user.name, avatar = user.avatar ?? undefined } = profile
  // A role that the issuer cannot give is not taken away by it either.
  const isTheirs = user.role === 'default' || issuer.settings.allowedRoles.includes(user.role)
  const role = (isTheirs ? await knownRole(ctx, profile.role) : undefined) ?? user.role
  const isSame = name === user.name && avatar === (user.avatar ?? undefined) && role === user.role
  if (!isSame) await changeUser(ctx, profile.uid, { name, role, ...(avatar && { avatar }) })
}

/** One that was deleted since the issuer was set up gives nothing. */
async function knownRole({ db }: AppTransaction, role: string | undefined) {
  return role !== undefined && (await roleExists(db, role)) ? role : undefined
}

async function keepSession(
  { db, outbox, now }: AppTransaction,
  vault: Vault,
  session: Shown & VerifiedJwt & { readonly uid: string; readonly issuer: IssuerRow },
): Promise<void> {
  const { uid, tokenHash, issuer, expiresAt } = session
  if (await isJwtRevoked(db, session)) throw refusal('it was ended')
  const place = placeIn(sealedColumns.authToken, db.appId, tokenHash)
  const row = {
    uid,
    tokenHash,
    tokenEncrypted: vault.seal(mask(session.token), place),
    createdAt: now,
    expiresAt,
    issuerId: issuer.id,
    issuerVersion: issuer.version,
  }
  const anyGone = await insertJwtSession(db, row, maxTokens)
  if (anyGone) await outbox.append('authTokens.revoked', { uid })
}
