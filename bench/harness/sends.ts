import type { Served } from './context.ts'
import { pairs, text } from './conversations.ts'

export type Target = Pick<Served, 'origin' | 'appId' | 'apiKey'>

type Address = Pick<Target, 'origin' | 'appId'>

const startOf = ({ origin, appId }: Address) =>
  `POST /v3/messages HTTP/1.1\r\nHost: ${new URL(origin).host}\r\nappId: ${appId}\r\n` +
  'Content-Type: application/json\r\n'

const headOf = (target: Target) => `${startOf(target)}apikey: ${target.apiKey}\r\n`

const body = (receiver: string, muid: string, says = text, receiverType = 'user') =>
  `{"category":"message","type":"text","receiverType":"${receiverType}","receiver":"${receiver}",` +
  `"muid":"${muid}","data":{"text":"${says}"}}`

/** A request as it goes over the wire: some user writes to the next one, or the other way round. */
export function sendRequest(target: Target, says = text, among = pairs): string {
  const c = 1 + Math.floor(Math.random() * among)
  const both = [`user-${c}`, `user-${(c % pairs) + 1}`]
  const [sender = '', receiver = ''] = Math.random() < 0.5 ? both : both.toReversed()
  return requestOf(target, sender, body(receiver, crypto.randomUUID(), says))
}

/** The first user writes into a group. */
export function groupRequest(target: Target, guid: string, says: string): string {
  return requestOf(target, 'user-1', body(guid, crypto.randomUUID(), says, 'group'))
}

/** The device of a user writes to another user: what to send, by what it says. */
export function deviceRequests(address: Address, authToken: string, receiver: string) {
  const head = `${startOf(address)}authToken: ${authToken}\r\nContent-Length: `
  return (says: string) => {
    const message = body(receiver, crypto.randomUUID(), says)
    return `${head}${message.length}\r\n\r\n${message}`
  }
}

function requestOf(target: Target, sender: string, message: string): string {
  return `${headOf(target)}onBehalfOf: ${sender}\r\nContent-Length: ${message.length}\r\n\r\n${message}`
}

/** What calls are spread over, if it is not one app with the usual conversations. */
export interface Spread {
  readonly apps: readonly Pick<Target, 'appId' | 'apiKey'>[]
  readonly pairs: number
}

/** The same, in the language of wrk; each says one of these. */
export function sendScript(
  target: Target,
  texts: readonly string[] = [text],
  over?: Spread,
): string {
  const { apps, pairs: among } = over ?? { apps: [target], pairs }
  return `
math.randomseed(${Math.floor(Math.random() * 2 ** 31)})
local random, format = math.random, string.format
local heads = ${list(apps.map((app) => headOf({ ...target, ...app })))}
local texts = ${list(texts)}
local before, between, after, last = ${JSON.stringify(body('\0', '\0', '\0'))
    .split('\\u0000')
    .join('", "')}
function request()
  local c = random(${among})
  local sender, receiver = 'user-' .. c, 'user-' .. c % ${among} + 1
  if random() < 0.5 then sender, receiver = receiver, sender end
  local muid = format('%08x-%04x-4%03x-8%03x-%06x%06x', random(0, 0x7fffffff), random(0, 0xffff),
    random(0, 0xfff), random(0, 0xfff), random(0, 0xffffff), random(0, 0xffffff))
  local message = before .. receiver .. between .. muid .. after .. texts[random(#texts)] .. last
  return heads[random(#heads)] .. 'onBehalfOf: ' .. sender .. '\\r\\nContent-Length: ' .. #message .. '\\r\\n\\r\\n' .. message
end
`
}

/** In the language of wrk. */
export function list(texts: readonly string[]): string {
  return `{ ${texts.map((each) => JSON.stringify(each)).join(', ')} }`
}
