import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { badRequest, Failure } from '../pipeline/failure.ts'
import { dispositionOf, servedType } from '../storage/disposition.ts'
import { type FolderStorage, WrongLength } from '../storage/folder.ts'
import { filesPath, type Permit } from '../storage/signed-paths.ts'
import type { Range, StoredObject } from '../storage/storage.ts'

/** Nothing in a file runs, whatever browsers take it for. */
const headers = {
  'Content-Security-Policy':
    "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Accept-Ranges': 'bytes',
}

/** Where the folder of files is handed out, and where clients bring them: to signed addresses alone. */
export function addFiles(server: FastifyInstance, folder: FolderStorage): void {
  server.decorateRequest('permit', undefined)
  server.register((scope, _, done) => {
    scope.removeAllContentTypeParsers()
    // The body is passed on as it comes.
    scope.addContentTypeParser('*', (__, payload, parsed) => parsed(null, payload))
    scope.addHook('onRequest', (request, reply, next) => {
      const permit = permitOf(folder, request)
      if (!permit) return next(new Failure('ERR_FILE_ADDRESS_REFUSED'))
      request.permit = permit
      if (request.headers.expect?.toLowerCase() === '100-continue') reply.raw.writeContinue()
      next()
    })
    scope.put(`${filesPath}*`, (request, reply) => receive(folder, request, reply))
    scope.get(`${filesPath}*`, (request, reply) => handOut(folder, request, reply))
    done()
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What the address of a file allows. */
    permit: Permit | undefined
  }
}

function permitOf({ paths }: FolderStorage, { method, raw }: FastifyRequest): Permit | undefined {
  const url = URL.parse(raw.url ?? '', 'http://files')
  if (!url) return undefined
  const { pathname, searchParams } = url
  const key = pathname.slice(filesPath.length)
  const isRead = method === 'HEAD' || method === 'GET'
  return paths.verify(isRead ? 'GET' : method, key, Object.fromEntries(searchParams))
}

async function receive(
  folder: FolderStorage,
  { permit, headers: given, raw }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (!permit) throw new Failure('ERR_FILE_ADDRESS_REFUSED')
  const length = given['content-length']
  if (length !== undefined && Number(length) !== permit.size) {
    throw badRequest('content-length', `Send ${permit.size} bytes, as was asked for.`)
  }
  const type = given['content-type']
  if (type !== undefined && type !== permit.type) {
    throw badRequest('content-type', `Send ${permit.type}, as was asked for.`)
  }
  try {
    await folder.receive(permit, raw)
  } catch (error) {
    if (error instanceof WrongLength) throw badRequest('body', error.message)
    throw error
  }
  return reply.code(204).send()
}

async function handOut(
  folder: FolderStorage,
  { permit, headers: given, method }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const found = permit && (await folder.find(permit.key))
  if (!found) throw new Failure('ERR_FILE_NOT_FOUND')
  reply.headers(headers).headers({
    'Content-Type': servedType(permit.type),
    'Content-Disposition': dispositionOf(permit.name ?? 'file', permit.type),
    'Last-Modified': new Date(found.modifiedAt * 1000).toUTCString(),
    // No browser shows it longer than its address is good.
    'Cache-Control': `private, max-age=${folder.paths.secondsLeft(permit)}, immutable`,
  })
  const range = rangeOf(given.range, found)
  if (range === 'unsatisfiable') {
    return reply.code(416).header('Content-Range', `bytes */${found.size}`).send()
  }
  const length = range ? range.last - range.first + 1 : found.size
  reply.header('Content-Length', length)
  if (range) {
    reply.code(206).header('Content-Range', `bytes ${range.first}-${range.last}/${found.size}`)
  }
  return method === 'HEAD' ? reply.send() : reply.send(await folder.read(permit.key, range))
}

/** Of one range; several are answered with the whole. */
function rangeOf(
  header: string | undefined,
  { size }: StoredObject,
): Range | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (from === '' && to === '') return undefined
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  return first > last ? 'unsatisfiable' : { first, last }
}
