import { randomBytes } from 'node:crypto'

/** Who the bytes pretend to be, or are. */
export interface RawCaller {
  readonly appId: string
  readonly authToken: string
}

/** Bytes that a client sends; it is cut off after all of them, or somewhere between. */
export interface RawShape {
  readonly name: string
  readonly bytes: Buffer
}

const upgrade =
  'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n' +
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
const paths = [
  '/',
  '/nope',
  '/v3',
  '/v3/realtime',
  '/v3/users',
  '/v3/realtime/events',
  '/docs/start.js',
]
const json = 'Content-Type: application/json\r\n'

/** A frame of a client, with a mask of zeroes. */
function frame(payload: string | Buffer, opcode = 0x81): Buffer {
  const bytes = Buffer.from(payload)
  const length = Buffer.alloc(bytes.length < 126 ? 1 : 3)
  length[0] = 0x80 | Math.min(bytes.length, 126)
  if (bytes.length >= 126) length.writeUInt16BE(bytes.length, 1)
  return Buffer.concat([Buffer.of(opcode), length, Buffer.alloc(4), bytes])
}

export function rawShapes({ appId, authToken }: RawCaller): readonly RawShape[] {
  const app = `Host: x\r\nappId: ${appId}\r\n`
  const device = `${app}authToken: ${authToken}\r\n`
  const open = `GET /v3/realtime HTTP/1.1\r\n${app}${upgrade}\r\n`
  const auth = frame(JSON.stringify({ type: 'auth', authToken }))
  const call = frame('{"type":"call","id":"1","operation":"listUsers"}')
  const post = (headers: string, body = '') =>
    `POST /v3/messages HTTP/1.1\r\n${device}${json}${headers}\r\n${body}`
  const stream = (query: string, headers = device) =>
    `GET /v3/realtime/events${query} HTTP/1.1\r\n${headers}\r\n`
  const socket = (...frames: Buffer[]) => Buffer.concat([Buffer.from(open), ...frames])
  const shapes: Readonly<Record<string, string | Buffer>> = {
    'a request': 'GET /docs/start.js HTTP/1.1\r\nHost: x\r\n\r\n',
    'requests in a row': 'GET /docs/start.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20),
    'calls in a row': `GET /v3/users HTTP/1.1\r\n${device}\r\n`.repeat(10),
    'a body that stops': post('Content-Length: 100\r\n', '{"a"'),
    'a body in pieces that stops': post('Transfer-Encoding: chunked\r\n', '5\r\nabcde\r\n'),
    'pieces that are none': post('Transfer-Encoding: chunked\r\n', '5\r\nabcde\r\nZZ\r\n'),
    'a body that is too large': post('Content-Length: 2000000\r\n', 'x'.repeat(300_000)),
    'a body longer than it says': post('Content-Length: 2\r\n', `{}${'x'.repeat(5000)}`),
    'two lengths': post('Content-Length: 2\r\nContent-Length: 3\r\n', '{}'),
    'the body of a stranger': `POST /v3/users HTTP/1.1\r\n${app}Content-Length: 900000\r\n\r\n${'x'.repeat(200_000)}`,
    'leave to send': post('Expect: 100-continue\r\nContent-Length: 10\r\n'),
    'an unknown expectation': post('Expect: banana\r\nContent-Length: 10\r\n'),
    connect: 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
    'HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'HTTP/2 by upgrade': `GET /v3/users HTTP/1.1\r\n${device}Upgrade: h2c\r\nConnection: Upgrade\r\n\r\n`,
    'no host': 'OPTIONS * HTTP/1.1\r\n\r\n',
    TLS: Buffer.concat([Buffer.from([0x16, 3, 1, 0, 0xa5]), randomBytes(160)]),
    'an unknown version': 'GET / HTTP/9.9\r\n\r\n',
    'no end of a line': 'G'.repeat(70_000),
    'a header that is too large': `GET /v3/users HTTP/1.1\r\n${app}apikey: ${'k'.repeat(70_000)}\r\n\r\n`,
    'a large header': `GET /v3/users HTTP/1.1\r\n${app}apikey: ${'k'.repeat(15_000)}\r\n\r\n`,
    'a long query': `GET /v3/users?${'a=b&'.repeat(3000)} HTTP/1.1\r\n${app}\r\n`,
    'a path that is no UTF-8': 'GET /%ff%fe HTTP/1.1\r\nHost: x\r\n\r\n',
    'another host': 'GET http://evil/v3/users HTTP/1.1\r\nHost: x\r\n\r\n',
    'half an upgrade': `GET /v3/realtime HTTP/1.1\r\n${app}Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n`,
    'a socket': socket(),
    'a socket signed in': socket(auth),
    'a socket with calls': socket(auth, ...Array.from({ length: 50 }, () => call)),
    'calls before the sign-in': socket(call, auth),
    'a wrong token': socket(frame('{"type":"auth","authToken":"wrong"}')),
    'a frame that is none': socket(Buffer.of(0xff, 0xff, 0xff, 0xff)),
    'a frame without a mask': socket(Buffer.of(0x81, 0x02, 0x7b, 0x7d)),
    'a frame that stops': socket(auth.subarray(0, 20)),
    'a frame of 2^63 bytes': socket(Buffer.from('81ffffffffffffffffff00000000', 'hex')),
    'a frame that is no UTF-8': socket(frame(Buffer.of(0xc3, 0x28))),
    'a frame that is no JSON': socket(auth, frame('{{{{')),
    'many fragments': socket(...Array.from({ length: 30 }, () => frame('x', 0x01))),
    pings: socket(auth, ...Array.from({ length: 500 }, () => frame('', 0x89))),
    'a close with a wrong code': socket(auth, frame(Buffer.of(0, 1), 0x88)),
    'an event stream': stream(''),
    'an event stream of a stranger': stream('', `${app}authToken: x\r\n`),
    'positions that are none': stream('?positions=[[['),
    'positions with a prototype': stream(
      '?positions=%7B%22__proto__%22%3A%7B%22seq%22%3A1%2C%22change%22%3A1%7D%7D',
    ),
    ...Object.fromEntries(
      paths.map((path) => [
        `an upgrade of ${path}`,
        `GET ${path} HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n`,
      ]),
    ),
    ...Object.fromEntries(
      ['POST', 'PUT', 'HEAD', 'DELETE'].map((method) => [
        `an upgrade by ${method}`,
        `${method} /v3/realtime HTTP/1.1\r\n${app}${upgrade}Content-Length: 5\r\n\r\nhello`,
      ]),
    ),
  }
  return Object.entries(shapes).map(([name, bytes]) => ({ name, bytes: Buffer.from(bytes) }))
}
