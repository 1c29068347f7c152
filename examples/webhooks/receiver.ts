// SECRET=whsec_... PORT=8080 node receiver.ts
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'

const { SECRET = '', PORT = '8080' } = process.env
const key = Buffer.from(SECRET.replace(/^whsec_/, ''), 'base64')

/** `body` is the text as it came, before it is parsed. */
function isFromChorale(headers: IncomingHttpHeaders, body: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': given } = headers
  // Older than five minutes: somebody may have recorded it.
  if (!(Math.abs(Date.now() / 1000 - Number(at)) <= 300)) return false
  const expected = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest()
  return String(given)
    .split(' ')
    .map((one) => Buffer.from(one.replace(/^v1,/, ''), 'base64'))
    .some((one) => one.length === expected.length && timingSafeEqual(one, expected))
}

const server = createServer(async (request, response) => {
  const body = await text(request)
  if (!isFromChorale(request.headers, body)) {
    response.writeHead(401).end()
    return
  }
  response.writeHead(204).end()
  // Do what takes long after the answer.
  const { trigger } = JSON.parse(body)
  console.log(request.headers['webhook-id'], trigger)
})
server.listen(Number(PORT), '127.0.0.1')
