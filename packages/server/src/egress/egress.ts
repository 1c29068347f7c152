import { openAddressRules } from './addresses.ts'
import { type Agents, openAgents } from './agents.ts'
import { type BulkheadOptions, openBulkheads } from './bulkheads.ts'
import { within } from './deadline.ts'
import { EgressError } from './egress-error.ts'
import { type EgressAnswer, type EgressRequest, exchange } from './exchange.ts'
import { openNames } from './names.ts'
import { hostOf, readUrl, type UrlRules } from './urls.ts'

export { EgressError } from './egress-error.ts'
export type { EgressAnswer, EgressRequest } from './exchange.ts'
export { objectionToUrl } from './urls.ts'

/** The only way to an address that somebody typed. */
export interface Egress extends AsyncDisposable {
  /** Any answer is an answer, a redirect and a 500 too; everything else is an `EgressError`. */
  call(request: EgressRequest): Promise<EgressAnswer>
  /** For a client of its own: its connections go to no other addresses than those of calls. */
  readonly agents: Agents
}

export interface EgressOptions extends UrlRules, BulkheadOptions {
  /** Instead of those of the system, as in `127.0.0.1:5353`. */
  readonly dnsServers?: readonly string[]
  /** Certificates to trust instead of the well-known ones. */
  readonly ca?: string
}

export function openEgress(options: EgressOptions): Egress {
  const mayCall = openAddressRules(options.allow)
  const names = openNames(options.dnsServers)
  const agents = openAgents(mayCall, options.all, options.ca)
  const inBulkhead = openBulkheads(options)

  /** Names are asked for once: what was checked is what is connected to. */
  const carryOut = async (request: EgressRequest, url: URL, signal: AbortSignal) => {
    const addresses = await names.addressesOf(hostOf(url))
    signal.throwIfAborted()
    const refused = addresses.find((address) => !mayCall(address))
    if (refused !== undefined) {
      const text = `${hostOf(url)} leads to ${refused}, which is not a public address.`
      throw new EgressError('refused-address', text)
    }
    return exchange(request, { url, addresses, agents, signal })
  }

  return {
    agents,
    async call(request) {
      const url = readUrl(request.url, options.http, mayCall)
      return inBulkhead(request.target, () =>
        within(request.timeoutMs, overdue, (signal) => carryOut(request, url, signal)),
      )
    },
    async [Symbol.asyncDispose]() {
      names[Symbol.dispose]()
      agents[Symbol.dispose]()
    },
  }
}

function overdue(ms: number): EgressError {
  return new EgressError('timeout', `There was no complete answer within ${ms} ms.`)
}
