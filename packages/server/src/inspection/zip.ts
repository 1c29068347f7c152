import { type FileHandle, open } from 'node:fs/promises'

const endMark = Buffer.from([0x50, 0x4b, 0x05, 0x06])
const end64Mark = Buffer.from([0x50, 0x4b, 0x06, 0x06])
const entryMark = 0x02014b50
const entryBytes = 46
/** The end of an archive and the longest comment behind it, with room for the end of a large one. */
const tailBytes = 22 + 65_535 + 76
const maxDirectoryBytes = 8 * 1024 * 1024
const muchBytes = 256 * 1024 * 1024
const muchTimes = 100

export function isZip(type: string | undefined): boolean {
  return type !== undefined && /zip$|openxmlformats|opendocument|epub|java-archive/.test(type)
}

/** Whether it says itself that it unpacks to very much, or hides how much. Nothing is unpacked. */
export async function isBomb(path: string): Promise<boolean> {
  const handle = await open(path)
  try {
    const { size } = await handle.stat()
    const directory = await directoryOf(handle, size)
    if (!directory) return false
    if (directory.length >= maxDirectoryBytes) return true
    const unpacked = unpackedBytes(directory)
    return unpacked > muchBytes && unpacked > size * muchTimes
  } finally {
    await handle.close()
  }
}

async function directoryOf(handle: FileHandle, size: number): Promise<Buffer | undefined> {
  const tail = await readAt(handle, Math.max(0, size - tailBytes), tailBytes)
  const at = tail.lastIndexOf(endMark)
  if (at < 0 || at + 22 > tail.length) return undefined
  let length = tail.readUInt32LE(at + 12)
  let offset = tail.readUInt32LE(at + 16)
  const at64 = tail.lastIndexOf(end64Mark)
  if (at64 >= 0 && at64 + 56 <= tail.length) {
    length = Number(tail.readBigUInt64LE(at64 + 40))
    offset = Number(tail.readBigUInt64LE(at64 + 48))
  }
  // Another length than it has: what unpacks it may believe either.
  if (offset + length > size) return Buffer.alloc(maxDirectoryBytes)
  return readAt(handle, offset, Math.min(length, maxDirectoryBytes))
}

function unpackedBytes(directory: Buffer): number {
  let total = 0
  let at = 0
  while (at + entryBytes <= directory.length && directory.readUInt32LE(at) === entryMark) {
    const size = directory.readUInt32LE(at + 24)
    const lengths = [28, 30, 32].map((place) => directory.readUInt16LE(at + place))
    // All ones: the size stands in a field behind, and is at least that.
    total += size
    at += entryBytes + lengths.reduce((sum, length) => sum + length, 0)
  }
  return total
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await handle.read(buffer, 0, length, position)
  return buffer.subarray(0, bytesRead)
}
