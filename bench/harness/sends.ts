import type { Served } from './context.ts'
import { pairs, text } from './conversations.ts'

export type Target = Pick<Served, 'origin' | 'appId' | 'apiKey'>

const headOf = ({ origin, appId, apiKey }: Target) =>
  `POST /v3/messages HTTP/1.1\r\nHost: ${new URL(origin).host}\r\nappId: ${appId}\r\n` +
  `apikey: ${apiKey}\r\nContent-Type: application/json\r\n`

const body = (receiver: string, muid: string) =>
  `{"category":"message","type":"text","receiverType":"user","receiver":"${receiver}",` +
  `"muid":"${muid}","data":{"text":"${text}"}}`

/** A request as it goes over the wire: some user writes to the next one, or the other way round. */
export function sendRequest(target: Target): string {
  const c = 1 + Math.floor(Math.random() * pairs)
  const both = [`user-${c}`, `user-${(c % pairs) + 1}`]
  const [sender, receiver = ''] = Math.random() < 0.5 ? both : both.toReversed()
  const message = body(receiver, crypto.randomUUID())
  return `${headOf(target)}onBehalfOf: ${sender}\r\nContent-Length: ${message.length}\r\n\r\n${message}`
}

/** The same, in the language of wrk. */
export function sendScript(target: Target): string {
  return `
math.randomseed(${Math.floor(Math.random() * 2 ** 31)})
local random, format = math.random, string.format
local head = ${JSON.stringify(headOf(target))}
local before, between, after = ${JSON.stringify(body('\0', '\0')).split('\\u0000').join('", "')}
function request()
  local c = random(${pairs})
  local sender, receiver = 'user-' .. c, 'user-' .. c % ${pairs} + 1
  if random() < 0.5 then sender, receiver = receiver, sender end
  local muid = format('%08x-%04x-4%03x-8%03x-%06x%06x', random(0, 0x7fffffff), random(0, 0xffff),
    random(0, 0xfff), random(0, 0xfff), random(0, 0xffffff), random(0, 0xffffff))
  local message = before .. receiver .. between .. muid .. after
  return head .. 'onBehalfOf: ' .. sender .. '\\r\\nContent-Length: ' .. #message .. '\\r\\n\\r\\n' .. message
end
`
}
