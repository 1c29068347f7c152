/** Bytes that come one after the other, and how many there will be. */
export interface StreamSource {
  /** A stream of Node or of the web: read once, a part at a time. */
  readonly stream: AsyncIterable<Uint8Array>
  /** In bytes. */
  readonly size: number
}

/** What can be uploaded: a `File` or `Blob`, in Node also a path, or a stream of known size. */
export type UploadSource = Blob | string | StreamSource

/** A file whose parts can be read. */
export interface Source {
  readonly name: string
  /** Undefined: nobody knows. */
  readonly type: string | undefined
  readonly size: number
  /** Parts must be asked for in their order; the last one may be asked for again. */
  readonly inOrder: boolean
  part(from: number, to: number): Promise<Blob>
}

interface Given {
  readonly name?: string | undefined
  readonly mimeType?: string | undefined
}

export async function openSource(file: UploadSource, given: Given): Promise<Source> {
  if (isStream(file)) return openStream(file, given)
  const blob: NamedBlob = typeof file === 'string' ? await blobAt(file) : file
  const path = typeof file === 'string' ? file : blob.name
  return {
    name: given.name ?? path?.replace(/^.*[/\\]/, '') ?? 'file',
    type: plainType(given.mimeType ?? blob.type),
    size: blob.size,
    inOrder: false,
    part: async (from, to) => blob.slice(from, to),
  }
}

type NamedBlob = Blob & { readonly name?: string }

/** A blob has a function of this name. */
function isStream(file: UploadSource): file is StreamSource {
  return typeof file === 'object' && typeof file.stream !== 'function'
}

interface NodeFiles {
  openAsBlob(path: string): Promise<Blob>
}

/** Without an import, which a bundle for browsers could not resolve. */
async function blobAt(path: string): Promise<Blob> {
  const { process } = globalThis as {
    process?: { getBuiltinModule?(name: string): NodeFiles | undefined }
  }
  const files = process?.getBuiltinModule?.('node:fs')
  if (!files) throw new TypeError('A path can be uploaded in Node only.')
  return files.openAsBlob(path)
}

/** Types with parameters are not taken. */
function plainType(type: string): string | undefined {
  const plain = type.split(';')[0]?.trim()
  return plain === '' ? undefined : plain
}

function openStream({ stream, size }: StreamSource, { name, mimeType }: Given): Source {
  const chunks = stream[Symbol.asyncIterator]()
  let left: Uint8Array = new Uint8Array(0)
  let at = 0
  let last: { readonly from: number; readonly part: Blob } | undefined

  async function read(length: number): Promise<Blob> {
    const taken: Uint8Array[] = []
    for (let missing = length; missing > 0; ) {
      if (left.length === 0) {
        const { done, value } = await chunks.next()
        if (done) throw new RangeError(`The stream has ended before ${size} bytes.`)
        left = value
      }
      const some = left.subarray(0, missing)
      taken.push(some)
      left = left.subarray(some.length)
      missing -= some.length
    }
    return new Blob(taken as Uint8Array<ArrayBuffer>[])
  }

  return {
    name: name ?? 'file',
    type: mimeType && plainType(mimeType),
    size,
    inOrder: true,
    async part(from, to) {
      if (last?.from === from) return last.part
      if (from !== at) throw new RangeError('A stream cannot be read again.')
      const part = await read(to - from)
      at = to
      last = { from, part }
      return part
    },
  }
}
