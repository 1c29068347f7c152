import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

/** Where a secret lives. Bound to its ciphertext, which is worthless in any other place. */
export interface Place {
  readonly appId: string
  readonly table: string
  readonly field: string
}

/** Keeps what must be shown again: found by keyed hash, stored encrypted. */
export interface Vault {
  /** The same secret has the same hash in one place only; without the master key, no one can try. */
  hash(secret: string, place: Place): Buffer
  seal(secret: string, place: Place): Buffer
  open(sealed: Buffer, place: Place): string
}

const formatVersion = 1
const mostHashes = 10_000
const ivBytes = 12
const tagBytes = 16

export function openVault(masterKey: Buffer): Vault {
  const hashKey = derive(masterKey, 'chorale lookup')
  const sealKey = derive(masterKey, 'chorale seal')
  // Every call shows a secret, and most show the same few.
  const hashes = new Map<string, Buffer>()
  return {
    hash(secret, place) {
      const name = `${label(place)}${secret}`
      const known = hashes.get(name)
      if (known) return known
      if (hashes.size >= mostHashes) hashes.clear()
      const hash = createHmac('sha256', hashKey).update(name).digest()
      hashes.set(name, hash)
      return hash
    },
    seal(secret, place) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', sealKey, iv).setAAD(Buffer.from(label(place)))
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(formatVersion), iv, cipher.getAuthTag(), text])
    },
    open(sealed, place) {
      if (sealed[0] !== formatVersion) throw new Error('A sealed secret has an unknown format.')
      const iv = sealed.subarray(1, 1 + ivBytes)
      const tag = sealed.subarray(1 + ivBytes, 1 + ivBytes + tagBytes)
      const decipher = createDecipheriv('aes-256-gcm', sealKey, iv)
        .setAAD(Buffer.from(label(place)))
        .setAuthTag(tag)
      const text = sealed.subarray(1 + ivBytes + tagBytes)
      return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8')
    },
  }
}

/** Compares in constant time; both are hashes, so of one length. */
export function sameHash(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}

function derive(masterKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), purpose, 32))
}

/** NUL never occurs in an app id or a name of ours, so two places cannot read the same. */
function label({ appId, table, field }: Place): string {
  return `${appId}\0${table}\0${field}\0`
}
