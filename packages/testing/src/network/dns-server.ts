import { createSocket } from 'node:dgram'
import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** What each name has, in turn: the last entry stays. An empty list: the name has no address. */
export type Zone = Readonly<Record<string, readonly (readonly string[])[]>>

/** A DNS server of our own on loopback. Names of `mute` get no answer at all. */
export interface DnsServer extends AsyncDisposable {
  /** For `Resolver.setServers`. */
  readonly address: string
  /** How often somebody asked for the IPv4 addresses of a name. */
  asked(name: string): number
}

const a = 1
const aaaa = 28
const noSuchName = 3

export async function startDnsServer(zone: Zone, mute: readonly string[] = []): Promise<DnsServer> {
  const socket = createSocket('udp4')
  const asked = new Map<string, number>()
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query)
    if (mute.includes(name)) return
    const turn = asked.get(name) ?? 0
    if (type === a) asked.set(name, turn + 1)
    const turns = zone[name]
    const addresses = turns?.[Math.min(turn, turns.length - 1)] ?? []
    const records = addresses.filter((one) => (isIPv4(one) ? a : aaaa) === type).map(recordOf)
    const head = Buffer.from(query.subarray(0, 12))
    head.writeUInt16BE(0x8180 | (turns ? 0 : noSuchName), 2)
    head.writeUInt16BE(records.length, 6)
    head.fill(0, 8)
    socket.send(Buffer.concat([head, query.subarray(12, end), ...records]), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked: (name) => asked.get(name) ?? 0,
    [Symbol.asyncDispose]: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

function questionOf(query: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('ascii', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

/** For the name of the question, valid for no time at all. */
function recordOf(address: string): Buffer {
  const bytes = Buffer.from(ipaddr.parse(address).toByteArray())
  const head = Buffer.from([0xc0, 12, 0, bytes.length === 4 ? a : aaaa, 0, 1, 0, 0, 0, 0, 0, 0])
  head.writeUInt16BE(bytes.length, 10)
  return Buffer.concat([head, bytes])
}
