import { lookup } from 'node:dns'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { Duplex } from 'node:stream'
import type { MayCall } from './addresses.ts'
import { EgressError } from './egress-error.ts'

export interface Agents extends Disposable {
  readonly http: HttpAgent
  readonly https: HttpsAgent
}

const idleMs = 5000

/** Connections stay open for the next call, `maxIdle` of them and for a few seconds. */
export function openAgents(mayCall: MayCall, maxIdle: number, ca?: string): Agents {
  const options = { keepAlive: true, timeout: idleMs, maxCachedSessions: 1000 }
  const idle = new Set<Duplex>()
  const http = limitIdle(guard(new HttpAgent(options), mayCall), idle, maxIdle)
  const https = guard(new HttpsAgent({ ...options, ...(ca && { ca }) }), mayCall)
  limitIdle(https, idle, maxIdle)
  return {
    http,
    https,
    [Symbol.dispose]() {
      http.destroy()
      https.destroy()
    },
  }
}

/** Says once more, at the last moment, which addresses may be connected to. */
function guard<A extends HttpAgent>(agent: A, mayCall: MayCall): A {
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (options, done) => {
    // An address is connected to as it stands; only a name is looked up.
    const host = options.host ?? ''
    if (isIP(host) !== 0 && !mayCall(host)) {
      // The type asks for a stream even where there is none.
      done?.(refusal(host), undefined as never)
      return undefined
    }
    return connect({ ...options, lookup: checked(options.lookup ?? lookup, mayCall) }, done)
  }
  return agent
}

function checked(look: LookupFunction, mayCall: MayCall): LookupFunction {
  return (host, options, done) =>
    look(host, options, (error, found, family) => {
      if (error) return done(error, found, family)
      const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address)
      const refused = addresses.find((address) => !mayCall(address))
      done(refused === undefined ? null : refusal(refused), found, family)
    })
}

function refusal(address: string): EgressError {
  return new EgressError('refused-address', `${address} is not a public address.`)
}

/** Node limits idle connections per host, and there is no end of hosts. */
function limitIdle<A extends HttpAgent>(agent: A, idle: Set<Duplex>, most: number): A {
  // It answers whether to keep the socket, which its type does not say.
  const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => unknown
  const reuse = agent.reuseSocket.bind(agent)
  function forget(this: Duplex) {
    this.off('close', forget)
    idle.delete(this)
  }
  agent.keepSocketAlive = (socket) => {
    if (idle.size >= most || keep(socket) === false) return false
    idle.add(socket)
    socket.on('close', forget)
    return true
  }
  agent.reuseSocket = (socket, request) => {
    forget.call(socket)
    reuse(socket, request)
  }
  return agent
}
