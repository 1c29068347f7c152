import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Cidr = [Address, number]

/** Says of an address, in any notation of IPv4 or IPv6, whether calls may go there. */
export type MayCall = (address: string) => boolean

/** Of IPv6, only this part is given out to the public. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
const translated = ipaddr.IPv6.parseCIDR('64:ff9b::/96')
/** Public by its number, and yet every machine of that cloud reaches its own host under it. */
const cloudHost = ipaddr.IPv4.parseCIDR('168.63.129.16/32')

/** `allow`: what the operator lets through although it is not public, as in `10.1.0.0/16,fd00::5`. */
export function openAddressRules(allow: string): MayCall {
  const allowed = allow
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseCidr)
  return (text) => {
    const address = parse(text)
    if (!address) return false
    return isPublic(address) || allowed.some((cidr) => isWithin(address, cidr))
  }
}

/** What is really called: an IPv4 address in the clothes of IPv6 is the IPv4 address. */
function parse(text: string): Address | undefined {
  // A zone names an interface of this very machine.
  if (text.includes('%') || !ipaddr.isValid(text)) return undefined
  const address = ipaddr.process(text)
  // Where a network speaks only IPv6, its resolver gives every IPv4 address this prefix.
  return isWithin(address, translated) ? ipaddr.fromByteArray(lastFour(address)) : address
}

function lastFour(address: Address): number[] {
  return address.toByteArray().slice(-4)
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || isWithin(address, cloudHost)) return false
  return address.kind() === 'ipv4' || isWithin(address, globalUnicast)
}

function isWithin(address: Address, cidr: Cidr): boolean {
  return address.kind() === cidr[0].kind() && address.match(cidr)
}

function parseCidr(entry: string): Cidr {
  if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry)
  if (!ipaddr.isValid(entry)) {
    throw new Error(`EGRESS_ALLOW holds ${entry}, which is neither an address nor a CIDR range.`)
  }
  const address = ipaddr.parse(entry)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}
