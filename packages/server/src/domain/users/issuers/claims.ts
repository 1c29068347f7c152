import { createHash } from 'node:crypto'
import { Failure } from '../../../pipeline/failure.ts'
import { systemUid } from '../access.ts'
import type { IssuerSettings } from './issuers.sql.ts'

export type Claims = Readonly<Record<string, unknown>>

/** Who a JWT says its user is. */
export interface Profile {
  readonly uid: string
  readonly name: string | undefined
  readonly avatar: string | undefined
  /** Undefined: the issuer does not decide about roles. */
  readonly role: string | undefined
}

const uidPattern = /^[a-z0-9_-]{1,100}$/
const maxName = 100
const maxUrl = 3000
const digits = 32
const defaultRole = 'default'

export function profileOf(claims: Claims, settings: IssuerSettings): Profile {
  return {
    uid: uidOf(claims, settings),
    name: textOf(claimAt(claims, settings.nameClaim), maxName),
    avatar: linkOf(claimAt(claims, settings.avatarClaim)),
    role: roleOf(claims, settings),
  }
}

export function refusal(reason: string): Failure {
  return new Failure('AUTH_ERR_JWT_REFUSED', { reason })
}

function uidOf(claims: Claims, { uidClaim, uidForm, uidPrefix = '' }: IssuerSettings): string {
  const claim = claimAt(claims, uidClaim)
  if (typeof claim !== 'string' || claim === '') {
    throw refusal(`its claim ${uidClaim}, which names the user, is no text`)
  }
  const uid = uidPrefix + inForm(claim, uidForm)
  if (!uidPattern.test(uid)) throw refusal(`its claim ${uidClaim} makes no uid`)
  if (uid === systemUid) throw refusal(`nobody signs in as ${systemUid}`)
  return uid
}

function inForm(claim: string, form: IssuerSettings['uidForm']): string {
  switch (form) {
    case 'exact':
      return claim
    case 'lowercase':
      return claim.toLowerCase()
    case 'sha256':
      return createHash('sha256').update(claim).digest('hex').slice(0, digits)
  }
}

/** Only what the app has listed; of several, the first in its list. */
function roleOf(claims: Claims, { roleClaim, allowedRoles }: IssuerSettings): string | undefined {
  if (roleClaim === undefined || allowedRoles.length === 0) return undefined
  const given = [claimAt(claims, roleClaim)].flat()
  return allowedRoles.find((role) => given.includes(role)) ?? defaultRole
}

/** A name may hold dots itself, as those that are addresses do. */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let value: unknown = claims
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Claims)[part]
  }
  return value
}

function textOf(claim: unknown, most: number): string | undefined {
  if (typeof claim !== 'string') return undefined
  const text = claim.toWellFormed().replaceAll('\0', '').trim()
  return [...text].slice(0, most).join('') || undefined
}

/** What the contract would take for an avatar. */
function linkOf(claim: unknown): string | undefined {
  if (typeof claim !== 'string' || claim.length > maxUrl || !/^https?:\/\//i.test(claim)) {
    return undefined
  }
  return URL.canParse(claim) ? claim.toWellFormed() : undefined
}
