import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash as digestOf,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

/** Where a hash is looked for. The same secret has another hash in any other place. */
export interface Place {
  readonly appId: string
  readonly table: string
  readonly field: string
}

/** Where a secret lives. Bound to its ciphertext, which is worthless in any other row. */
export interface SealedPlace extends Place {
  readonly row: string
  /** The name of the field in the first format, which knew no rows. */
  readonly firstField?: string
}

/** Keeps what must be shown again: found by keyed hash, stored encrypted. */
export interface Vault {
  /** Of the master key that seals. Tells keys apart, and says nothing about them. */
  readonly keyId: string
  /** The same secret has the same hash in one place only; without its key, no one can try. */
  hash(secret: string, place: Place): Buffer
  seal(secret: string, place: SealedPlace): Buffer
  open(sealed: Buffer, place: SealedPlace): string
  /** What begins every secret that is sealed as this process would seal it now. */
  readonly header: Buffer
}

export interface VaultKeys {
  /** Opens what this key has sealed, and seals nothing. */
  readonly previous?: Buffer | undefined
  /** Of hashes. It outlives the master key; the first one gives it its value. */
  readonly lookupKey?: Buffer | undefined
}

/** The format before this one had neither the id of a key nor the row. */
const firstFormat = 1
const format = 2
const maxHashes = 10_000
const idBytes = 4
const ivBytes = 12
const tagBytes = 16

export function openVault(masterKey: Buffer, keys: VaultKeys = {}): Vault {
  const lookupKey = keys.lookupKey ?? lookupKeyOf(masterKey)
  const readable = [masterKey, ...(keys.previous ? [keys.previous] : [])].map(sealingKey)
  const id = idOf(masterKey)
  const sealKey = derive(masterKey, 'chorale seal')
  const header = Buffer.concat([Buffer.of(format), id])
  // Every call shows a secret, and most show the same few.
  const hashes = new Map<string, Buffer>()
  return {
    keyId: id.toString('hex'),
    header,
    hash(secret, place) {
      const name = `${label(place)}${secret}`
      // A secret in plain text would stay in memory, however long it is.
      const digest = digestOf('sha256', name, 'base64')
      const known = hashes.get(digest)
      if (known) return known
      if (hashes.size >= maxHashes) hashes.clear()
      const hash = createHmac('sha256', lookupKey).update(name).digest()
      hashes.set(digest, hash)
      return hash
    },
    seal(secret, place) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', sealKey, iv).setAAD(boundTo(place))
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Buffer.concat([header, iv, cipher.getAuthTag(), text])
    },
    open(sealed, place) {
      if (sealed[0] === firstFormat) return openFirst(sealed, place, readable)
      if (sealed[0] !== format) throw new Error('A sealed secret has an unknown format.')
      const by = sealed.subarray(1, 1 + idBytes)
      const found = readable.find((key) => key.id.equals(by))
      if (!found)
        throw new Error(`A secret was sealed with another master key, ${keyIdIn(sealed)}.`)
      return decipher(found.key, sealed.subarray(1 + idBytes), boundTo(place))
    },
  }
}

/** Undefined: the format has none. */
export function keyIdIn(sealed: Buffer): string | undefined {
  return sealed[0] === format ? sealed.subarray(1, 1 + idBytes).toString('hex') : undefined
}

export function keyIdOf(masterKey: Buffer): string {
  return idOf(masterKey).toString('hex')
}

export function lookupKeyOf(masterKey: Buffer): Buffer {
  return derive(masterKey, 'chorale lookup')
}

/** Compares in constant time; both are hashes, so of one length. */
export function sameHash(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}

interface SealingKey {
  readonly id: Buffer
  readonly key: Buffer
}

function sealingKey(masterKey: Buffer): SealingKey {
  return { id: idOf(masterKey), key: derive(masterKey, 'chorale seal') }
}

function openFirst(sealed: Buffer, place: SealedPlace, keys: readonly SealingKey[]): string {
  const bound = Buffer.from(label({ ...place, field: place.firstField ?? place.field }))
  const [first, ...others] = keys
  for (const { key } of others) {
    try {
      return decipher(key, sealed.subarray(1), bound)
    } catch {
      // Sealed with the other one, then; which says so if not.
    }
  }
  if (!first) throw new Error('A vault has no key.')
  return decipher(first.key, sealed.subarray(1), bound)
}

function decipher(key: Buffer, sealed: Buffer, bound: Buffer): string {
  const iv = sealed.subarray(0, ivBytes)
  const tag = sealed.subarray(ivBytes, ivBytes + tagBytes)
  const opening = createDecipheriv('aes-256-gcm', key, iv).setAAD(bound).setAuthTag(tag)
  const text = sealed.subarray(ivBytes + tagBytes)
  return Buffer.concat([opening.update(text), opening.final()]).toString('utf8')
}

function idOf(masterKey: Buffer): Buffer {
  return derive(masterKey, 'chorale key id').subarray(0, idBytes)
}

function derive(masterKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), purpose, 32))
}

/** NUL never occurs in an app id or a name of ours, so two places cannot read the same. */
function label({ appId, table, field }: Place): string {
  return `${appId}\0${table}\0${field}\0`
}

function boundTo(place: SealedPlace): Buffer {
  return Buffer.from(`${label(place)}${place.row}\0`)
}
