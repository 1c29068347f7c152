import { createHash } from 'node:crypto'

/** Says that there is a secret, and nothing about it. */
export const hidden = '********'

/** Below this a secret may be one that somebody made up, of which every letter helps to guess the rest. */
const longEnough = 24

/** The end of a long random secret, to tell two apart; of a shorter one nothing. */
export function mask(secret: string): string {
  // All PEM files end alike, so what counts is before that end.
  const text = secret.replace(/-----END[^-]*-----\s*$/, '').trim()
  // By characters: half of one is nothing that PostgreSQL would keep.
  const letters = [...text]
  return hidden + (letters.length < longEnough ? '' : letters.slice(-4).join(''))
}

/** Whether this is what an answer shows in the place of the secret: whoever sends it back keeps it. */
export function isMaskOf(text: string | undefined, secret: string): boolean {
  return secret !== '' && (text === hidden || text === mask(secret))
}

const passwordNames = /password$/i
const secretNames =
  /^(certificate|pushToken|fcmToken|.*(apiKey|authToken|secret|private_?key|p8Key))$/i
const longestText = 1000
const maxItems = 100

/**
 * JSON to keep: passwords are hidden, other secrets masked by the name of their field, and of long
 * texts and lists, such as an uploaded file, there is the size and a digest.
 */
export function withoutSecrets(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => {
    if (typeof inner === 'string') return keptText(key, inner)
    if (Array.isArray(inner) && inner.length > maxItems) {
      return { items: inner.length, sha256: digest(JSON.stringify(inner)) }
    }
    return inner
  })
}

function keptText(name: string, text: string): unknown {
  if (passwordNames.test(name)) return hidden
  if (secretNames.test(name)) return mask(text)
  if (text.length <= longestText) return text
  return { bytes: Buffer.byteLength(text), sha256: digest(text) }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
