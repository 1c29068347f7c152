import type { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import type { Agents } from '../egress/agents.ts'
import { inBlocks } from './blocks.ts'
import { dispositionOf, servedType } from './disposition.ts'
import { encode, openSigner, type SigningKeys } from './sigv4.ts'
import type { Instruction, Shown, Storage, StoredObject } from './storage.ts'

export interface Bucket extends SigningKeys {
  /** Of the store, as in `https://s3.eu-central-1.amazonaws.com`. */
  readonly endpoint: string
  readonly bucket: string
  /** `path`: the bucket begins the path; `host`: it begins the name of the host. */
  readonly style: 'path' | 'host'
  /** `put` where a store knows no forms. */
  readonly uploads: 'post' | 'put'
  /** Where everybody may read it; undefined: nobody may without a signed address. */
  readonly publicUrl?: string | undefined
  /** What every key begins with. */
  readonly prefix?: string
}

export interface S3Options {
  /** Unix seconds. */
  readonly clock: () => number
  /** Its connections go to no refused address; undefined: the operator has named the store. */
  readonly agents?: Agents | undefined
  readonly partSize?: number
}

/** The least that stores take is 5 MiB, and they take 10,000 parts. */
const usualPartSize = 8 * 1024 * 1024
/** The least that stores take: it is kept in memory until it has come. */
const blockSize = 5 * 1024 * 1024
const timeoutMs = 60_000

/** A bucket of any store that speaks the protocol of S3. */
export function openS3(bucket: Bucket, options: S3Options): Storage & Disposable {
  return new S3Storage(bucket, options)
}

class S3Storage implements Storage, Disposable {
  readonly partSize: number
  readonly #bucket: Bucket
  readonly #client: S3Client
  readonly #clock: () => number
  readonly #signer: ReturnType<typeof openSigner>
  readonly #host: string
  readonly #origin: string
  readonly #path: string

  constructor(bucket: Bucket, { clock, agents, partSize = usualPartSize }: S3Options) {
    const { accessKeyId, secretAccessKey, region, endpoint } = bucket
    this.partSize = partSize
    this.#bucket = bucket
    this.#clock = clock
    this.#signer = openSigner(bucket)
    const { protocol, host } = new URL(endpoint)
    const byPath = bucket.style === 'path'
    this.#host = byPath ? host : `${bucket.bucket}.${host}`
    this.#origin = `${protocol}//${this.#host}`
    this.#path = byPath ? `/${encode(bucket.bucket)}/` : '/'
    this.#client = new S3Client({
      endpoint,
      region,
      credentials: { accessKeyId, secretAccessKey },
      forcePathStyle: byPath,
      // Many stores know no other checksums than those they must.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        requestTimeout: timeoutMs,
        connectionTimeout: 5000,
        ...(agents && { httpAgent: agents.http, httpsAgent: agents.https }),
      },
    })
  }

  /** Its address stays good after the object was looked at: so it leads to another key. */
  put({ key: final, size, type, expiresAt }: Parameters<Storage['put']>[0]): Instruction {
    const key = incoming(final)
    const now = this.#clock()
    if (this.#bucket.uploads === 'put') {
      return this.#signedPut(key, size, type, {}, expiresAt)
    }
    const named = { bucket: this.#bucket.bucket, key: this.#full(key), 'Content-Type': type }
    const conditions = [
      ...Object.entries(named).map(([name, value]) => ({ [name]: value })),
      { success_action_status: '204' },
      ['content-length-range', size, size],
    ]
    const { bucket: _, ...sent } = named
    return {
      method: 'POST',
      url: `${this.#origin}${this.#path}`,
      fields: {
        ...sent,
        success_action_status: '204',
        ...this.#signer.form(conditions, now, expiresAt),
      },
    }
  }

  async accept({ key, type }: Parameters<Storage['accept']>[0]): Promise<void> {
    const from = incoming(key)
    const source = `${encode(this.#bucket.bucket)}/${encodeKey(this.#full(from))}`
    const copy = { ...this.#at(key), CopySource: source, ContentType: type }
    const copied = await unlessGone(
      this.#client.send(new CopyObjectCommand({ ...copy, MetadataDirective: 'REPLACE' })),
    )
    if (copied) await this.remove(from)
  }

  async startParts({ key, type }: Parameters<Storage['startParts']>[0]): Promise<string> {
    const { UploadId } = await this.#client.send(
      new CreateMultipartUploadCommand({ ...this.#at(key), ContentType: type }),
    )
    if (!UploadId) throw new Error('The store has not named an upload.')
    return UploadId
  }

  putPart(part: Parameters<Storage['putPart']>[0]): Instruction {
    const query = { partNumber: String(part.number), uploadId: part.partsId }
    return this.#signedPut(part.key, part.partSize, undefined, query, part.expiresAt)
  }

  async partsOf(key: string, partsId: string): Promise<readonly number[]> {
    const parts = await this.#parts(key, partsId)
    return parts.map(({ number }) => number)
  }

  async endParts({ key }: Parameters<Storage['endParts']>[0], partsId: string): Promise<void> {
    const parts = await this.#parts(key, partsId)
    await this.#client.send(
      new CompleteMultipartUploadCommand({
        ...this.#at(key),
        UploadId: partsId,
        MultipartUpload: {
          Parts: parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag })),
        },
      }),
    )
  }

  async dropParts(key: string, partsId: string): Promise<void> {
    await unlessGone(
      this.#client.send(new AbortMultipartUploadCommand({ ...this.#at(key), UploadId: partsId })),
    )
  }

  async find(key: string): Promise<StoredObject | undefined> {
    const found = await unlessGone(this.#client.send(new HeadObjectCommand(this.#at(key))))
    if (!found) return undefined
    return { key, size: found.ContentLength ?? 0, modifiedAt: secondsOf(found.LastModified) }
  }

  async write(
    { key, size, type }: Parameters<Storage['write']>[0],
    bytes: Readable,
  ): Promise<void> {
    await this.#client.send(
      new PutObjectCommand({
        ...this.#at(key),
        Body: bytes,
        ContentLength: size,
        ContentType: type,
      }),
    )
  }

  async take(target: Parameters<Storage['take']>[0], bytes: AsyncIterable<Buffer>) {
    const blocks = inBlocks(bytes, blockSize)
    const first = await blocks.next()
    const block = first.done ? Buffer.alloc(0) : first.value
    if (block.length === blockSize) return this.#takeParts(target, block, blocks)
    await this.#client.send(
      new PutObjectCommand({ ...this.#at(target.key), Body: block, ContentType: target.type }),
    )
    return block.length
  }

  async copy(key: string, to: Parameters<Storage['copy']>[1]): Promise<void> {
    await this.#client.send(
      new CopyObjectCommand({
        ...this.#at(to.key),
        CopySource: `${encode(this.#bucket.bucket)}/${encodeKey(this.#full(key))}`,
        MetadataDirective: 'REPLACE',
        ContentType: to.type,
      }),
    )
  }

  async read(key: string, range?: Parameters<Storage['read']>[1]): Promise<Readable> {
    const { Body } = await this.#client.send(
      new GetObjectCommand({
        ...this.#at(key),
        ...(range && { Range: `bytes=${range.first}-${range.last}` }),
      }),
    )
    // In Node the body is a stream, whatever the type leaves open.
    return Body as Readable
  }

  async remove(key: string): Promise<void> {
    await unlessGone(this.#client.send(new DeleteObjectCommand(this.#at(key))))
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    let token: string | undefined
    do {
      const page = await this.#client.send(
        new ListObjectsV2Command({
          Bucket: this.#bucket.bucket,
          Prefix: this.#full(prefix),
          ...(token !== undefined && { ContinuationToken: token }),
        }),
      )
      for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
        yield { key: this.#short(Key), size: Size, modifiedAt: secondsOf(LastModified) }
      }
      token = page.IsTruncated ? page.NextContinuationToken : undefined
    } while (token !== undefined)
  }

  address(key: string, { name, type, signedAt, expiresAt }: Shown): string {
    const { publicUrl } = this.#bucket
    const path = encodeKey(this.#full(key))
    if (publicUrl !== undefined) return `${publicUrl.replace(/\/$/, '')}/${path}`
    const query = this.#signer.query({
      method: 'GET',
      host: this.#host,
      path: this.#path + path,
      query: {
        'response-content-disposition': dispositionOf(name, type),
        'response-content-type': servedType(type),
      },
      signedAt,
      validSeconds: Math.min(maxValidSeconds, expiresAt - signedAt),
    })
    return `${this.#origin}${this.#path}${path}?${query}`
  }

  [Symbol.dispose](): void {
    this.#client.destroy()
  }

  #signedPut(
    key: string,
    size: number,
    type: string | undefined,
    query: Readonly<Record<string, string>>,
    expiresAt: number,
  ): Instruction {
    const now = this.#clock()
    const path = this.#path + encodeKey(this.#full(key))
    const typed = type === undefined ? {} : { 'content-type': type }
    const signed = this.#signer.query({
      method: 'PUT',
      host: this.#host,
      path,
      query,
      headers: { ...typed, 'content-length': String(size) },
      signedAt: now,
      validSeconds: Math.min(maxValidSeconds, Math.max(1, expiresAt - now)),
    })
    return { method: 'PUT', url: `${this.#origin}${path}?${signed}`, headers: typed }
  }

  async #takeParts(
    { key, type }: Parameters<Storage['take']>[0],
    first: Buffer,
    others: AsyncIterable<Buffer>,
  ): Promise<number> {
    const partsId = await this.startParts({ key, type, size: 0, expiresAt: 0 })
    const parts: { readonly PartNumber: number; readonly ETag: string | undefined }[] = []
    let size = 0
    const bring = async (block: Buffer) => {
      const PartNumber = parts.length + 1
      const part = { ...this.#at(key), UploadId: partsId, PartNumber, Body: block }
      const { ETag } = await this.#client.send(new UploadPartCommand(part))
      parts.push({ PartNumber, ETag })
      size += block.length
    }
    try {
      await bring(first)
      for await (const block of others) await bring(block)
      const whole = { ...this.#at(key), UploadId: partsId, MultipartUpload: { Parts: parts } }
      await this.#client.send(new CompleteMultipartUploadCommand(whole))
      return size
    } catch (error) {
      await this.dropParts(key, partsId)
      throw error
    }
  }

  async #parts(key: string, partsId: string) {
    const parts: { readonly number: number; readonly etag: string }[] = []
    let marker: string | undefined
    do {
      const page = await unlessGone(
        this.#client.send(
          new ListPartsCommand({
            ...this.#at(key),
            UploadId: partsId,
            ...(marker !== undefined && { PartNumberMarker: marker }),
          }),
        ),
      )
      for (const { PartNumber = 0, ETag = '' } of page?.Parts ?? []) {
        parts.push({ number: PartNumber, etag: ETag })
      }
      marker = page?.IsTruncated ? page.NextPartNumberMarker : undefined
    } while (marker !== undefined)
    return parts
  }

  #at(key: string) {
    return { Bucket: this.#bucket.bucket, Key: this.#full(key) }
  }

  #full(key: string): string {
    return (this.#bucket.prefix ?? '') + key
  }

  #short(key: string): string {
    return key.slice((this.#bucket.prefix ?? '').length)
  }
}

/** A week: the protocol allows no more. */
const maxValidSeconds = 604_800

function incoming(key: string): string {
  return `${key}-incoming`
}

function encodeKey(key: string): string {
  return key.split('/').map(encode).join('/')
}

function secondsOf(date: Date | undefined): number {
  return Math.floor((date?.getTime() ?? 0) / 1000)
}

async function unlessGone<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) {
      return undefined
    }
    throw error
  }
}
