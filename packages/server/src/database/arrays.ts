// Arrays as PostgreSQL reads them fastest: in binary, where nothing has to be quoted and parsed. The
// driver sends a buffer as it is.

const headerBytes = 20
const none = 0xff_ff_ff_ff

/** The type of the elements, by PostgreSQL's number for it. */
const oids = { bool: 16, bytea: 17, bigint: 20, smallint: 21, int: 23, text: 25 } as const

function startArray(bytes: number, oid: number, length: number, hasNull: boolean): Buffer {
  const array = Buffer.allocUnsafe(headerBytes + bytes)
  array.writeInt32BE(1, 0)
  array.writeInt32BE(hasNull ? 1 : 0, 4)
  array.writeInt32BE(oid, 8)
  array.writeInt32BE(length, 12)
  array.writeInt32BE(1, 16)
  return array
}

export function texts(values: readonly (string | null)[]): Buffer {
  let bytes = 0
  let hasNull = false
  for (const value of values) {
    if (value === null) hasNull = true
    bytes += 4 + (value === null ? 0 : Buffer.byteLength(value))
  }
  const array = startArray(bytes, oids.text, values.length, hasNull)
  let at = headerBytes
  for (const value of values) {
    const written = value === null ? 0 : array.write(value, at + 4)
    array.writeUInt32BE(value === null ? none : written, at)
    at += 4 + written
  }
  return array
}

export function byteas(values: readonly (Buffer | null)[]): Buffer {
  const bytes = values.reduce((sum, value) => sum + 4 + (value?.length ?? 0), 0)
  const array = startArray(bytes, oids.bytea, values.length, values.includes(null))
  let at = headerBytes
  for (const value of values) {
    array.writeUInt32BE(value?.length ?? none, at)
    at += 4 + (value?.copy(array, at + 4) ?? 0)
  }
  return array
}

type Write<T> = (array: Buffer, value: T, at: number) => void

function fixed<T>(oid: number, size: number, write: Write<T>) {
  return (values: readonly (T | null)[]): Buffer => {
    const bytes = values.reduce((sum, value) => sum + (value === null ? 4 : 4 + size), 0)
    const array = startArray(bytes, oid, values.length, bytes < values.length * (4 + size))
    let at = headerBytes
    for (const value of values) {
      array.writeUInt32BE(value === null ? none : size, at)
      at += 4
      if (value === null) continue
      write(array, value, at)
      at += size
    }
    return array
  }
}

export const bools = fixed<boolean>(oids.bool, 1, (array, value, at) =>
  array.writeInt8(value ? 1 : 0, at),
)
export const smallints = fixed<number>(oids.smallint, 2, (array, value, at) =>
  array.writeInt16BE(value, at),
)
export const ints = fixed<number>(oids.int, 4, (array, value, at) => array.writeInt32BE(value, at))

const half = 2 ** 32

/** Without a detour over BigInt: every number of ours is below 2^53. */
export const bigints = fixed<number>(oids.bigint, 8, (array, value, at) => {
  const high = Math.floor(value / half)
  array.writeInt32BE(high, at)
  array.writeUInt32BE(value - high * half, at + 4)
})
