import { randomBytes } from 'node:crypto'
import type { sessions as contract } from '@chorale/contract/apps'
import type { InstallDb } from '../../../database/app-db.ts'
import { Failure } from '../../../pipeline/failure.ts'
import type { InstallHandlers } from '../../../pipeline/handler.ts'
import { placeIn, sealedColumns } from '../../../vault/sealed-columns.ts'
import { type Place, sameHash, type Vault } from '../../../vault/vault.ts'
import { lockPerson, type PersonRow, setSecondFactor } from './people.sql.ts'
import { selfOf } from './sessions.ts'
import { base32, matchingStep } from './totp.ts'

const secretBytes = 20
const recoveryCodes = 10
const issuer = 'Chorale'

type Own = Pick<typeof contract, 'startTotp' | 'confirmTotp'>

export const secondFactorHandlers: InstallHandlers<Own> = {
  async startTotp(_, { db, vault, caller }) {
    const { collaboratorId, email } = selfOf(caller)
    await requireUnconfirmed(db, collaboratorId)
    const secret = randomBytes(secretBytes)
    await setSecondFactor(db, collaboratorId, {
      encrypted: vault.seal(secret.toString('base64'), placeOf(collaboratorId)),
      confirmedAt: null,
      step: 0,
      recoveryHashes: [],
    })
    const label = encodeURIComponent(`${issuer}:${email}`)
    const uri = `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${issuer}`
    return { data: { secret: base32(secret), uri } }
  },

  async confirmTotp({ body: { code } }, { db, vault, caller, now }) {
    const { collaboratorId } = selfOf(caller)
    const { totpEncrypted: encrypted } = await requireUnconfirmed(db, collaboratorId)
    if (!encrypted) throw new Failure('ERR_SECOND_FACTOR_STATE', { state: 'not begun' })
    const step = matchingStep(secretIn(vault, collaboratorId, encrypted), code, now, 0)
    if (step === undefined) throw new Failure('ERR_SIGN_IN_REFUSED')
    const codes = Array.from({ length: recoveryCodes }, newRecoveryCode)
    const recoveryHashes = codes.map((code) => hashOfCode(vault, collaboratorId, code))
    await setSecondFactor(db, collaboratorId, { encrypted, confirmedAt: now, step, recoveryHashes })
    return { data: { recoveryCodes: codes } }
  },
}

async function requireUnconfirmed(db: InstallDb, id: number): Promise<PersonRow> {
  const person = await lockPerson(db, id)
  if (!person) throw new Failure('AUTH_ERR_SESSION_NOT_FOUND')
  if (person.totpConfirmedAt === null) return person
  throw new Failure('ERR_SECOND_FACTOR_STATE', { state: 'set up already' })
}

/** In the transaction of the sign-in: a code of the authenticator or for recovery is used up. */
export async function useCode(
  db: InstallDb,
  vault: Vault,
  id: number,
  code: string,
  now: number,
): Promise<boolean> {
  const person = await lockPerson(db, id)
  if (!person?.totpEncrypted) return false
  const { totpEncrypted: encrypted, totpConfirmedAt: confirmedAt } = person
  const { totpStep, recoveryHashes } = person
  const secret = secretIn(vault, id, encrypted)
  const step = matchingStep(secret, code, now, totpStep)
  if (step !== undefined) {
    await setSecondFactor(db, id, { encrypted, confirmedAt, step, recoveryHashes })
    return true
  }
  const hash = hashOfCode(vault, id, code)
  const left = recoveryHashes.filter((known) => !sameHash(known, hash))
  if (left.length === recoveryHashes.length) return false
  const used = { encrypted, confirmedAt, step: totpStep, recoveryHashes: left }
  await setSecondFactor(db, id, used)
  return true
}

function secretIn(vault: Vault, id: number, encrypted: Buffer): Buffer {
  return Buffer.from(vault.open(encrypted, placeOf(id)), 'base64')
}

function placeOf(id: number) {
  return placeIn(sealedColumns.secondFactor, '', String(id))
}

/** 80 bits: as good as random keys, and short enough to write down. */
function newRecoveryCode(): string {
  return (base32(randomBytes(10)).match(/.{4}/g) ?? []).join('-')
}

function hashOfCode(vault: Vault, id: number, code: string): Buffer {
  const place: Place = { appId: '', table: 'collaborators', field: `recovery ${id}` }
  return vault.hash(code.trim().toUpperCase(), place)
}
