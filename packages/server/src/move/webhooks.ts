import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { type Heard, touchedIn } from './heard.ts'

interface Listening {
  readonly port: number
  /** The password of the webhook; its user name may be any. */
  readonly secret: string
  readonly heard: Heard
  /** Something was said. */
  wake(): void
}

const maxBytes = 1_000_000

/** Takes the calls of a webhook of the old side. */
export async function listen(listening: Listening): Promise<AsyncDisposable> {
  const server = createServer((request, response) => {
    take(listening, request).then(
      (status) => response.writeHead(status).end(),
      () => response.destroy(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(listening.port, resolve)
  })
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function take({ secret, heard, wake }: Listening, request: IncomingMessage): Promise<number> {
  if (request.method !== 'POST') return 405
  if (!isAllowed(request.headers.authorization, secret)) return 401
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > maxBytes) return 413
    chunks.push(chunk)
  }
  heard.add(touchedIn(bodyIn(Buffer.concat(chunks).toString())))
  wake()
  return 200
}

function bodyIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isAllowed(authorization: string | undefined, secret: string): boolean {
  const [, encoded = ''] = /^Basic (.+)$/.exec(authorization ?? '') ?? []
  const said = Buffer.from(encoded, 'base64').toString()
  const given = Buffer.from(said.slice(said.indexOf(':') + 1))
  const wanted = Buffer.from(secret)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
