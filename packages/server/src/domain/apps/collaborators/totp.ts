import { createHmac, timingSafeEqual } from 'node:crypto'

/** Codes of authenticator apps (RFC 6238): SHA-1, six digits, a new one every 30 seconds. */
const stepSeconds = 30
const digits = 6
/** Clocks of phones differ: the code before and the one after are good as well. */
const tolerance = 1

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export function base32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map((group) => letters.charAt(Number.parseInt(group.padEnd(5, '0'), 2))).join('')
}

export function codeAt(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 0xf
  const number = (mac.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** digits
  return String(number).padStart(digits, '0')
}

export function stepOf(unixSeconds: number): number {
  return Math.floor(unixSeconds / stepSeconds)
}

/** The step whose code it is, behind the last one that was used; undefined: none, or used before. */
export function matchingStep(
  secret: Buffer,
  code: string,
  now: number,
  lastStep: number,
): number | undefined {
  const given = Buffer.from(code)
  const steps = Array.from({ length: 2 * tolerance + 1 }, (_, i) => stepOf(now) + i - tolerance)
  return steps.find((step) => {
    const right = Buffer.from(codeAt(secret, step))
    return step > lastStep && right.length === given.length && timingSafeEqual(right, given)
  })
}
