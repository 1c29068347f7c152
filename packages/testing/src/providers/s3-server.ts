import { createHash, createHmac } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import S3rver from '@20minutes/s3rver'
import { provideSingleDes } from './single-des.ts'

/** A server of the protocol of S3 on loopback, with one bucket. */
export interface S3Server extends AsyncDisposable {
  readonly endpoint: string
  readonly bucket: string
  /** Those that the server knows. */
  readonly keys: { readonly accessKeyId: string; readonly secretAccessKey: string }
  /** With them a service keeps its files here. */
  readonly settings: Readonly<Record<string, string>>
  /** Method and path of each call that got through, oldest first. */
  readonly calls: readonly string[]
}

const keys = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
const bucket = 'files'

provideSingleDes()

/**
 * The server checks signatures where there are any. In front of it stands what it leaves out: calls
 * without a signature are refused, forms are held against their policy, a signed length against that
 * of the body; and the parts of an upload can be listed and dropped.
 */
export async function startS3Server(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 's3-'))
  const store = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    vhostBuckets: false,
    configureBuckets: [{ name: bucket }],
  })
  const { port } = await store.run()
  const uploads = store.store.getResourcePath(bucket, undefined, 'uploads')
  const calls: string[] = []
  const front = createServer((incoming, answer) => {
    answerCall({ incoming, answer, port, uploads }).then(
      (isThrough) => isThrough && calls.push(`${incoming.method} ${incoming.url?.split('?')[0]}`),
      (error) => answer.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  // A listening server has a port.
  const { port: own } = front.address() as AddressInfo
  const endpoint = `http://127.0.0.1:${own}`
  return {
    endpoint,
    bucket,
    keys,
    settings: {
      FILES_FOLDER: '',
      FILES_S3_ENDPOINT: endpoint,
      FILES_S3_BUCKET: bucket,
      FILES_S3_ACCESS_KEY_ID: keys.accessKeyId,
      FILES_S3_SECRET_ACCESS_KEY: keys.secretAccessKey,
    },
    calls,
    async [Symbol.asyncDispose]() {
      front.closeAllConnections()
      front.close()
      await store.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

interface Call {
  readonly incoming: IncomingMessage
  readonly answer: ServerResponse
  readonly port: number
  readonly uploads: string
}

/** False: it was refused. */
async function answerCall(call: Call): Promise<boolean> {
  const { incoming, answer, uploads } = call
  const { method, headers } = incoming
  const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://s3')
  const uploadId = searchParams.get('uploadId') ?? ''
  const isForm = method === 'POST' && headers['content-type']?.startsWith('multipart/form-data')
  if (isForm) return answerForm(call)
  const isSigned = 'authorization' in headers || searchParams.has('X-Amz-Signature')
  if (!isSigned) return refuse(incoming, answer, 'There is no signature.')
  const signed = searchParams.get('X-Amz-SignedHeaders')?.split(';') ?? []
  if (method === 'PUT' && signed.length > 0 && !signed.includes('content-length')) {
    return refuse(incoming, answer, 'The length is not signed.')
  }
  if (method === 'GET' && uploadId !== '') {
    await listParts(answer, pathname, join(uploads, uploadId))
    return true
  }
  if (method === 'DELETE' && uploadId !== '') {
    await rm(join(uploads, uploadId), { recursive: true, force: true })
    answer.writeHead(204).end()
    return true
  }
  if (pathname === `/${bucket}/` && 'authorization' in headers) return passOnList(call)
  passOn(call)
  return true
}

/** The server leaves the last slash out when it checks: what is right with it is signed without it. */
function passOnList(call: Call): boolean {
  const { incoming, answer } = call
  const { headers, url = '' } = incoming
  const { authorization = '' } = headers
  const [, begin = '', shown] = /^(.*Signature=)([0-9a-f]+)$/.exec(authorization) ?? []
  if (signatureOf(incoming, `/${bucket}/`) !== shown) {
    return refuse(incoming, answer, 'The signature is wrong.')
  }
  headers.authorization = begin + signatureOf(incoming, `/${bucket}`)
  incoming.url = url.replace(`/${bucket}/`, `/${bucket}`)
  passOn(call)
  return true
}

function signatureOf({ method, headers, url = '' }: IncomingMessage, path: string): string {
  const { authorization = '' } = headers
  const [, scope = ''] = /Credential=[^/]+\/([^,]+)/.exec(authorization) ?? []
  const [, names = ''] = /SignedHeaders=([^,]+)/.exec(authorization) ?? []
  const query = (url.split('?')[1] ?? '').split('&').sort().join('&')
  const lines = names.split(';').map((name) => `${name}:${headers[name]}\n`)
  const hash = headers['x-amz-content-sha256']
  const text = [method, path, query, lines.join(''), names, hash].join('\n')
  const digest = createHash('sha256').update(text).digest('hex')
  const key = scope.split('/').reduce<Buffer>(sign, Buffer.from(`AWS4${keys.secretAccessKey}`))
  return sign(key, ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, digest].join('\n')).toString(
    'hex',
  )
}

function passOn({ incoming, answer, port }: Call, body?: Buffer): void {
  const { method, url, headers } = incoming
  const onward = request({ host: '127.0.0.1', port, method, path: url, headers }, (response) => {
    answer.writeHead(response.statusCode ?? 500, response.headers)
    response.pipe(answer)
  })
  onward.on('error', () => answer.destroy())
  answer.on('close', () => onward.destroy())
  if (body) onward.end(body)
  else incoming.pipe(onward)
}

/** A form is as good as its policy says, and the policy as its signature. */
async function answerForm(call: Call): Promise<boolean> {
  const { incoming, answer } = call
  const body = await buffer(incoming)
  const contentType = incoming.headers['content-type'] ?? ''
  const form = await new Response(Uint8Array.from(body), {
    headers: { 'content-type': contentType },
  }).formData()
  const objection = objectionTo(form)
  if (objection !== undefined) return refuse(incoming, answer, objection)
  passOn(call, body)
  return true
}

function objectionTo(form: FormData): string | undefined {
  const field = (name: string) => String(form.get(name) ?? '')
  const [accessKeyId, day = '', region = ''] = field('x-amz-credential').split('/')
  const steps = [day, region, 's3', 'aws4_request']
  const key = steps.reduce<Buffer>(sign, Buffer.from(`AWS4${keys.secretAccessKey}`))
  const right = sign(key, field('policy')).toString('hex')
  if (accessKeyId !== keys.accessKeyId || right !== field('x-amz-signature')) {
    return 'The signature of the policy is wrong.'
  }
  const policy: { readonly expiration: string; readonly conditions: readonly unknown[] } =
    JSON.parse(Buffer.from(field('policy'), 'base64').toString())
  if (Date.parse(policy.expiration) < Date.now()) return 'The policy has expired.'
  const file = form.get('file')
  const size = file instanceof Blob ? file.size : Buffer.byteLength(String(file))
  const named = new Set<string>(['policy', 'x-amz-signature', 'file'])
  for (const condition of policy.conditions) {
    if (Array.isArray(condition)) {
      const [, least, most] = condition
      if (size < least || size > most) return 'The length is not allowed.'
      continue
    }
    for (const [name, value] of Object.entries(condition ?? {})) {
      named.add(name)
      const given = name === 'bucket' ? bucket : field(name)
      if (given !== value) return `The field ${name} is not allowed.`
    }
  }
  const other = [...form.keys()].find((name) => !named.has(name))
  return other && `The field ${other} is not in the policy.`
}

function sign(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

async function listParts(answer: ServerResponse, path: string, folder: string): Promise<void> {
  if (!existsSync(folder)) {
    answer.writeHead(404, { 'content-type': 'application/xml' })
    answer.end('<Error><Code>NoSuchUpload</Code><Message>There is none.</Message></Error>')
    return
  }
  const names = (await readdir(folder)).filter((name) => name.endsWith('.md5'))
  const parts = await Promise.all(
    names.map(async (name) => {
      const etag = await readFile(join(folder, name), 'utf8')
      const number = Number.parseInt(name, 10)
      return {
        number,
        text: `<Part><PartNumber>${number}</PartNumber><ETag>"${etag}"</ETag></Part>`,
      }
    }),
  )
  const listed = parts.sort((a, b) => a.number - b.number).map(({ text }) => text)
  answer.writeHead(200, { 'content-type': 'application/xml' })
  answer.end(
    `<ListPartsResult><Bucket>${bucket}</Bucket><Key>${path}</Key>` +
      `<IsTruncated>false</IsTruncated>${listed.join('')}</ListPartsResult>`,
  )
}

function refuse(incoming: IncomingMessage, answer: ServerResponse, why: string): false {
  incoming.resume()
  answer.writeHead(403, { 'content-type': 'application/xml' })
  answer.end(`<Error><Code>AccessDenied</Code><Message>${why}</Message></Error>`)
  return false
}
