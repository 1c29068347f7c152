import { randomBytes } from 'node:crypto'
import {
  copyFile,
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Permit, SignedPaths } from './signed-paths.ts'
import {
  fileOfKey,
  type Instruction,
  type Shown,
  type Storage,
  type StoredObject,
} from './storage.ts'

export interface FolderOptions {
  readonly path: string
  /** Of the service, as clients reach it. */
  readonly url: string
  readonly paths: SignedPaths
  readonly partSize?: number
}

/** Also takes what clients bring to the addresses that it has signed. */
export interface FolderStorage extends Storage {
  readonly paths: SignedPaths
  /** What a client sends to a signed address. Throws `WrongLength`. */
  receive(permit: Permit, bytes: Readable): Promise<void>
}

/** As many bytes as were announced have not come, or more. */
export class WrongLength extends Error {}

/** Short enough for a slow line: who is cut off begins this much again. */
const usualPartSize = 1024 * 1024

/** For installs of one machine: files in a folder, and the api part hands them out. */
export function openFolder(options: FolderOptions): FolderStorage {
  return new Folder(options)
}

class Folder implements FolderStorage {
  readonly partSize: number
  readonly paths: SignedPaths
  readonly #root: string
  readonly #url: string

  constructor({ path, url, paths, partSize = usualPartSize }: FolderOptions) {
    this.partSize = partSize
    this.paths = paths
    this.#root = path
    this.#url = url.replace(/\/$/, '')
  }

  put({ key, size, type, expiresAt }: Parameters<Storage['put']>[0]): Instruction {
    const path = this.paths.sign({ method: 'PUT', key, size, type, expiresAt })
    return { method: 'PUT', url: this.#url + path, headers: { 'content-type': type } }
  }

  /** Bytes are not taken for an object that is there. */
  async accept(): Promise<void> {}

  /** The parts of an object need no other name. */
  async startParts(): Promise<string> {
    return 'folder'
  }

  putPart(part: Parameters<Storage['putPart']>[0]): Instruction {
    const { key, type, number, partSize, expiresAt } = part
    const offset = (number - 1) * this.partSize
    const place = { number, offset }
    const path = this.paths.sign({
      method: 'PUT',
      key,
      size: partSize,
      type,
      expiresAt,
      part: place,
    })
    return { method: 'PUT', url: this.#url + path, headers: { 'content-type': type } }
  }

  async partsOf(key: string): Promise<readonly number[]> {
    const file = this.#file(key)
    const begin = `${nameOf(file)}.part-`
    const names = await readdir(dirname(file)).catch(unlessMissing)
    return (names ?? [])
      .filter((name) => name.startsWith(begin))
      .map((name) => Number(name.slice(begin.length)))
      .sort((a, b) => a - b)
  }

  async endParts({ key, size }: Parameters<Storage['endParts']>[0]): Promise<void> {
    const file = this.#file(key)
    const parts = await this.partsOf(key)
    if (parts.length === 0 && (await this.find(key))) return
    const found = await stat(`${file}.parts`)
    if (found.size !== size || parts.length !== Math.ceil(size / this.partSize)) {
      throw new WrongLength('Parts of the object are missing.')
    }
    await rename(`${file}.parts`, file)
    for (const number of parts) await rm(`${file}.part-${number}`, { force: true })
  }

  async dropParts(key: string): Promise<void> {
    const file = this.#file(key)
    for (const number of await this.partsOf(key)) {
      await rm(`${file}.part-${number}`, { force: true })
    }
    await rm(`${file}.parts`, { force: true })
    await this.#removeEmpty(dirname(file))
  }

  async find(key: string): Promise<StoredObject | undefined> {
    const found = await stat(this.#file(key)).catch(unlessMissing)
    return found && { key, size: found.size, modifiedAt: Math.floor(found.mtimeMs / 1000) }
  }

  async write({ key, size }: Parameters<Storage['write']>[0], bytes: Readable): Promise<void> {
    await this.#replace(key, (beside) => writeAt(beside, 'w', 0, size, bytes))
  }

  async take(
    { key }: Parameters<Storage['take']>[0],
    bytes: AsyncIterable<Buffer>,
  ): Promise<number> {
    const stream = Readable.from(bytes, { objectMode: false })
    return this.#replace(key, (beside) => writeAt(beside, 'w', 0, undefined, stream))
  }

  async copy(key: string, to: Parameters<Storage['copy']>[1]): Promise<void> {
    const file = this.#file(to.key)
    await rm(file, { force: true })
    // Objects are replaced, never changed: a second name of the same bytes is a copy.
    await link(this.#file(key), file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') throw error
      return copyFile(this.#file(key), file)
    })
  }

  async receive({ key, type, size = 0, part }: Permit, bytes: Readable): Promise<void> {
    // Whoever asks again, because the answer was lost, gets the same answer.
    if (await this.find(key)) return drain(bytes)
    if (!part) return this.write({ key, type, size }, bytes)
    const file = this.#file(key)
    await mkdir(dirname(file), { recursive: true })
    // Each part at its place in one file: nothing is copied when the last has come.
    await (await open(`${file}.parts`, 'a')).close()
    // It may come again: until it is whole, it is not there.
    await rm(`${file}.part-${part.number}`, { force: true })
    await writeAt(`${file}.parts`, 'r+', part.offset, size, bytes)
    await (await open(`${file}.part-${part.number}`, 'w')).close()
  }

  async read(key: string, range?: Parameters<Storage['read']>[1]): Promise<Readable> {
    const handle = await open(this.#file(key))
    return handle.createReadStream(range && { start: range.first, end: range.last })
  }

  async remove(key: string): Promise<void> {
    const file = this.#file(key)
    await rm(file, { force: true })
    await this.#removeEmpty(dirname(file))
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    yield* this.#walk(prefix.replace(/[^/]*$/, ''), prefix)
  }

  address(key: string, { name, type, expiresAt }: Shown): string {
    return this.#url + this.paths.sign({ method: 'GET', key, name, type, expiresAt })
  }

  /** Beside it and moved: whoever reads meanwhile finds the whole file, or none. */
  async #replace<T>(key: string, write: (beside: string) => Promise<T>): Promise<T> {
    const file = this.#file(key)
    await mkdir(dirname(file), { recursive: true })
    const beside = `${file}.${randomBytes(6).toString('hex')}`
    try {
      const written = await write(beside)
      await rename(beside, file)
      return written
    } catch (error) {
      await rm(beside, { force: true })
      await this.#removeEmpty(dirname(file))
      throw error
    }
  }

  async *#walk(folder: string, prefix: string): AsyncGenerator<StoredObject> {
    const entries = await readdir(join(this.#root, folder), { withFileTypes: true }).catch(
      unlessMissing,
    )
    for (const entry of entries ?? []) {
      const key = `${folder}${entry.name}`
      if (entry.isDirectory() && (`${key}/`.startsWith(prefix) || prefix.startsWith(`${key}/`))) {
        yield* this.#walk(`${key}/`, prefix)
      } else if (entry.isFile() && key.startsWith(prefix)) {
        const found = await stat(join(this.#root, key)).catch(unlessMissing)
        if (found) {
          yield { key, size: found.size, modifiedAt: Math.floor(found.mtimeMs / 1000) }
        }
      }
    }
  }

  /** Keys are made by this service; one that is not leads out of the folder, perhaps. */
  #file(key: string): string {
    if (!fileOfKey(key)) throw new Error('A key has a form that this service does not make.')
    return join(this.#root, key)
  }

  /** The folder of a file, and the one above it, if nothing is left in them. */
  async #removeEmpty(folder: string): Promise<void> {
    for (const path of [folder, dirname(folder)]) {
      const isGone = await rmdir(path).then(
        () => true,
        () => false,
      )
      if (!isGone) return
    }
  }
}

async function drain(bytes: Readable): Promise<void> {
  for await (const _ of bytes);
}

/** Exactly so many bytes, or as many as come, at a place in the file; on the disk when it returns. */
async function writeAt(
  path: string,
  flags: 'w' | 'r+',
  offset: number,
  size: number | undefined,
  bytes: Readable,
): Promise<number> {
  const handle = await open(path, flags)
  try {
    const written = await copyTo(handle, offset, size ?? Number.POSITIVE_INFINITY, bytes)
    if (size !== undefined && written !== size) {
      throw new WrongLength(`${written} bytes have come instead of ${size}.`)
    }
    await handle.datasync()
    return written
  } finally {
    await handle.close()
  }
}

async function copyTo(
  handle: FileHandle,
  offset: number,
  size: number,
  bytes: Readable,
): Promise<number> {
  let written = 0
  const writer = new Writable({
    write(chunk: Buffer, _, done) {
      if (written + chunk.length > size) {
        done(new WrongLength(`More than ${size} bytes have come.`))
        return
      }
      handle.write(chunk, 0, chunk.length, offset + written).then(
        ({ bytesWritten }) => {
          written += bytesWritten
          done(bytesWritten === chunk.length ? null : new Error('The disk is full.'))
        },
        (error) => done(error),
      )
    },
  })
  await pipeline(bytes, writer)
  return written
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
  return undefined
}
