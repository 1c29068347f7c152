import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

const compress = promisify(gzip)

/** Something that stays the same while the process runs. */
interface Document {
  readonly plain: Buffer
  readonly compressed: Buffer
  readonly etag: string
}

export interface DocumentOptions {
  readonly type: string
  readonly cacheControl: string
  readonly headers?: Readonly<Record<string, string>>
  read(): Promise<Buffer | string>
}

/** Answers with a document, which is read and compressed once, when it is first asked for. */
export function documentRoute(options: DocumentOptions) {
  let making: Promise<Document> | undefined
  const made = () => {
    making ??= make(options).catch((error) => {
      // Whoever asks next tries again.
      making = undefined
      throw error
    })
    return making
  }
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { plain, compressed, etag } = await made()
    const vary = [reply.getHeader('vary') ?? [], 'Accept-Encoding'].flat().join(', ')
    reply
      .headers({ ...options.headers, ETag: etag, 'Cache-Control': options.cacheControl })
      .header('Vary', vary)
    if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
    reply.type(options.type)
    if (!takesGzip(request)) return reply.send(plain)
    return reply.header('Content-Encoding', 'gzip').send(compressed)
  }
}

async function make({ read }: DocumentOptions): Promise<Document> {
  const plain = Buffer.from(await read())
  const digest = createHash('sha256').update(plain).digest('base64url').slice(0, 22)
  // Weak: the compressed one has other bytes.
  return { plain, compressed: await compress(plain), etag: `W/"${digest}"` }
}

function takesGzip({ headers }: FastifyRequest): boolean {
  const coding = /\bgzip\b\s*(?:;\s*q=([\d.]+))?/i.exec(String(headers['accept-encoding'] ?? ''))
  return coding !== null && Number(coding[1] ?? 1) > 0
}
