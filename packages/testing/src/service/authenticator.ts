import { codeAt, stepOf } from '../../../server/src/domain/apps/collaborators/totp.ts'

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The secret, as an authenticator app reads it. */
export function fromBase32(text: string): Buffer {
  const bits = [...text].map((one) => letters.indexOf(one).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** What the app shows at that time. */
export function codeShown(secret: string, now: number): string {
  return codeAt(fromBase32(secret), stepOf(now))
}
