import { connect } from 'node:net'

/**
 * What a PostgreSQL address says to a newcomer. `answers`: a server that asks for a password or
 * for encryption, so that more cannot be known without a driver.
 */
export type DatabaseState = 'ready' | 'no-database' | 'starting' | 'answers' | 'silent'

const timeoutMs = 3_000

export async function probeDatabase(address: string): Promise<DatabaseState> {
  const url = URL.parse(address)
  if (!url) return 'silent'
  const user = decodeURIComponent(url.username) || 'postgres'
  const database = decodeURIComponent(url.pathname.slice(1)) || user
  const answer = await converse(
    url,
    5432,
    startupMessage(user, database),
    (bytes) => databaseState(bytes) !== undefined,
  )
  return (answer && databaseState(answer)) ?? 'silent'
}

/** True for a NATS server with JetStream; it greets every connection with a line of JSON. */
export async function probeNats(address: string): Promise<'ready' | 'no-jetstream' | 'silent'> {
  const url = URL.parse(address)
  if (!url) return 'silent'
  const answer = await converse(url, 4222, undefined, (bytes) => bytes.includes('\r\n'))
  const greeting = answer?.toString('utf8') ?? ''
  if (!greeting.startsWith('INFO ')) return 'silent'
  return /"jetstream":\s*true/.test(greeting) ? 'ready' : 'no-jetstream'
}

function startupMessage(user: string, database: string): Buffer {
  const body = Buffer.from(`user\0${user}\0database\0${database}\0\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(8 + body.length, 0)
  head.writeInt32BE(196_608, 4) // protocol 3.0
  return Buffer.concat([head, body])
}

/** Walks the messages of the reply; undefined while more must come. */
function databaseState(bytes: Buffer): DatabaseState | undefined {
  for (let at = 0; at + 5 <= bytes.length; ) {
    const type = String.fromCharCode(bytes.readUInt8(at))
    const end = at + 1 + bytes.readInt32BE(at + 1)
    if (end <= at || end > bytes.length) return undefined
    if (type === 'Z') return 'ready'
    if (type === 'E') {
      const error = bytes.toString('utf8', at + 5, end)
      if (error.includes('C57P03')) return 'starting'
      return error.includes('C3D000') ? 'no-database' : 'answers'
    }
    if (type === 'R' && bytes.readInt32BE(at + 5) !== 0) return 'answers'
    at = end
  }
  return undefined
}

/** Connects, sends, and collects the reply until it is enough; undefined when nobody is there. */
function converse(
  url: URL,
  defaultPort: number,
  opening: Buffer | undefined,
  enough: (bytes: Buffer) => boolean,
): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    let bytes: Buffer = Buffer.alloc(0)
    const host = url.hostname.replace(/^\[|\]$/g, '') || '127.0.0.1'
    const socket = connect({ host, port: Number(url.port) || defaultPort })
    const finish = (result: Buffer | undefined) => {
      socket.destroy()
      resolve(result)
    }
    socket.setTimeout(timeoutMs, () => finish(undefined))
    socket.once('error', () => finish(undefined))
    socket.once('close', () => finish(bytes.length > 0 ? bytes : undefined))
    socket.once('connect', () => opening && socket.write(opening))
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
      if (enough(bytes)) finish(bytes)
    })
  })
}
