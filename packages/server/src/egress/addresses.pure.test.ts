import { once } from 'node:events'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DnsServer, startDnsServer } from '../../../testing/src/network/dns-server.ts'
import { setTrap, type Trap } from '../../../testing/src/network/trap.ts'
import { openAddressRules } from './addresses.ts'
import { openAgents } from './agents.ts'
import { type Egress, EgressError, objectionToUrl, openEgress } from './egress.ts'

const limits = { perTarget: 5, all: 20, breaker: { failures: 1000, restMs: 1000 } }

/** All of them reach this very machine where nobody objects. */
const thisMachine = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '127.000.000.001',
  '2130706433',
  '017700000001',
  '0177.0.0.1',
  '0177.0.0.01',
  '0x7f000001',
  '0x7F.0.0.1',
  '0x7f.1',
  '0x7f.0x0.0x0.0x1',
  '127.0x0.0.01',
  '%31%32%37.0.0.1',
  '127%2e0%2e0%2e1',
  '１２７.０.０.１',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '127．0．0．1',
  '127｡0｡0｡1',
  '𝟏𝟐𝟕.𝟎.𝟎.𝟏',
  '127.0.0.1\u00ad',
  '[::ffff:127.0.0.1]',
  '[::FFFF:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[0000:0000:0000:0000:0000:ffff:7f00:0001]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[0::0001]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'anything.localhost',
  'LocalHost',
]

const notPublic = [
  '0.0.0.0',
  '0',
  '0.1.2.3',
  '[::]',
  '10.0.0.1',
  '012.0.0.1',
  '167772161',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '0xC0A80101',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '0251.0376.0251.0376',
  '169.254.43518',
  '[fd00:ec2::254]',
  '168.63.129.16',
  '100.64.0.1',
  '100.100.100.200',
  '192.0.0.192',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '192.88.99.1',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[ff02::1]',
  '[100::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[5f00::1]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:a9fe:a9fe]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::10.0.0.1]',
  '[2002:7f00:1::]',
  '[2002:a9fe:a9fe::1]',
  '[2001:0:4136:e378:8000:63bf:80ff:fffe]',
]

/** With PORT for the port of the trap. */
const notEvenUrls = [
  'http://user@127.0.0.1:PORT/',
  'http://user:word@hooks.example:PORT/',
  'http://hooks.example@127.0.0.1:PORT/',
  'http://127.0.0.1:PORT@hooks.example/',
  'http://127.0.0.1:PORT\\@hooks.example/',
  'http:\\\\127.0.0.1:PORT\\',
  'http://127.0.0.1:PORT\t/',
  ' http://127.0.0.1:PORT/',
  'ht\ntp://127.0.0.1:PORT/',
  'http://[::1%25lo]:PORT/',
  'http://[fe80::1%eth0]:PORT/',
  'http://[::ffff:127.1]:PORT/',
  'http://127.0.0.1:PORT:80/',
  'http://256.0.0.1:PORT/',
  'http://:PORT/',
  '//127.0.0.1:PORT/',
  '127.0.0.1:PORT/',
  'ftp://127.0.0.1:PORT/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:PORT/',
  'data:text/plain,hello',
  'javascript:1',
  'unix:/var/run/docker.sock',
  'ws://127.0.0.1:PORT/',
  `http://hooks.example/${'a'.repeat(2048)}`,
  '',
]

const zone = {
  'inside.example': [['127.0.0.1']],
  'metadata.example': [['169.254.169.254']],
  'six.example': [['::1']],
  'mapped.example': [['::ffff:127.0.0.1']],
  'one-of-many.example': [['93.184.215.14', '127.0.0.1', '93.184.215.15']],
  'other-family.example': [['93.184.215.14', '::1']],
  'half-allowed.example': [['127.0.0.2'], ['127.0.0.2', '127.0.0.1']],
  'nothing.example': [[]],
  'turning.example': [['127.0.0.2'], ['127.0.0.1']],
}

let trap: Trap
let dns: DnsServer
const opened: Egress[] = []
const open = (allow: string, http = true) => {
  const egress = openEgress({ ...limits, allow, http, dnsServers: [dns.address] })
  opened.push(egress)
  return egress
}
const call = (egress: Egress, url: string) =>
  egress.call({ url, method: 'GET', headers: {}, timeoutMs: 5000, maxBytes: 100, target: url })
const reasonOf = (egress: Egress, url: string) =>
  call(egress, url).then(
    ({ status }) => `answered ${status}`,
    (error: unknown) => (error instanceof EgressError ? error.reason : error),
  )
const at = (host: string) => `http://${host}:${trap.port}/`

beforeAll(async () => {
  trap = await setTrap('127.0.0.1', '::1')
  dns = await startDnsServer(zone)
})
afterAll(async () => {
  for (const egress of opened) await egress[Symbol.asyncDispose]()
  await trap[Symbol.asyncDispose]()
  await dns[Symbol.asyncDispose]()
})

describe('what is not public is not called', () => {
  test.each(thisMachine)('this machine as %s', async (host) => {
    expect(await reasonOf(open(''), at(host))).toBe('refused-address')
    expect(objectionToUrl(at(host), { allow: '', http: true })).toMatch(/not a public address/)
    expect(trap.hits).toBe(0)
  })

  test.each(notPublic)('%s', async (host) => {
    expect(await reasonOf(open(''), at(host))).toBe('refused-address')
    expect(objectionToUrl(at(host), { allow: '', http: true })).toMatch(/not a public address/)
  })

  test.each(notEvenUrls)('%j', async (text) => {
    const url = text.replace('PORT', String(trap.port))
    // With everything allowed: the URL itself is what is refused.
    expect(await reasonOf(open('0.0.0.0/0,::/0'), url)).toBe('refused-url')
    expect(objectionToUrl(url, { allow: '0.0.0.0/0', http: true })).toMatch(/^The URL /)
    expect(trap.hits).toBe(0)
  })

  test.each(['http://8.8.8.8/', 'HTTP://8.8.8.8/', 'hTTp:8.8.8.8'])(
    '%s, where plain http is not allowed',
    async (url) => {
      expect(await reasonOf(open('', false), url)).toBe('refused-url')
    },
  )

  test.each([
    'inside.example',
    'INSIDE.example.',
    'ｉｎｓｉｄｅ.example',
    'metadata.example',
    'six.example',
    'mapped.example',
    'one-of-many.example',
    'other-family.example',
  ])('the name %s, whose addresses are not', async (name) => {
    expect(objectionToUrl(at(name), { allow: '', http: true })).toBeUndefined()
    expect(await reasonOf(open(''), at(name))).toBe('refused-address')
    expect(trap.hits).toBe(0)
  })

  test('a name of several addresses of which one may be called', async () => {
    await using other = await setTrap('127.0.0.2')
    const egress = open('127.0.0.2')
    const url = `http://half-allowed.example:${other.port}/`
    expect(await reasonOf(egress, url)).toBe('answered 200')
    // Also where a connection to that one is open still.
    expect(await reasonOf(egress, url)).toBe('refused-address')
    expect(other.hits).toBe(1)
  })

  test('a name that means one address when checked and another when called', async () => {
    await using other = await setTrap('127.0.0.2')
    const egress = open('127.0.0.2')
    const url = `http://turning.example:${other.port}/`
    expect(await reasonOf(egress, url)).toBe('answered 200')
    expect(dns.asked('turning.example')).toBe(1)
    // The connection is still open, and yet the name is looked at anew.
    expect(await reasonOf(egress, url)).toBe('refused-address')
    expect(other.hits).toBe(1)
  })

  test.each(['127.0.0.1', '::1', 'localhost'])(
    '%s, by a connection that skips the check',
    async (host) => {
      using agents = openAgents(openAddressRules(''), 1)
      const asking = request({ host, port: trap.port, agent: agents.http })
      const [error] = await once(asking, 'error')
      expect(error).toMatchObject({ reason: 'refused-address' })
      expect(trap.hits).toBe(0)
    },
  )

  test('names without an address', async () => {
    expect(await reasonOf(open(''), at('nothing.example'))).toBe('dns')
    expect(await reasonOf(open(''), at('unknown.example'))).toBe('dns')
  })
})

describe('what is public, or allowed by the operator', () => {
  test.each([
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
    'https://[64:ff9b::808:808]/',
    'https://[::ffff:8.8.8.8]/',
    'https://hooks.example:8443/path?query=1',
    'https://пример.example/',
    'https://localhost.example/',
  ])('%s', (url) => {
    expect(objectionToUrl(url, { allow: '', http: false })).toBeUndefined()
  })

  test.each(['127.0.0.0/8,::1', ' 127.0.0.1 , ::1/128'])('this machine with %j', (allow) => {
    for (const host of thisMachine) {
      expect(objectionToUrl(at(host), { allow, http: true })).toBeUndefined()
    }
    expect(objectionToUrl('http://10.0.0.1/', { allow, http: true })).toBeDefined()
  })

  test('every spelling of this machine would have reached it', async () => {
    await using reached = await setTrap('127.0.0.1', '::1')
    const egress = open('127.0.0.0/8,::1')
    for (const host of thisMachine) {
      expect([host, await reasonOf(egress, `http://${host}:${reached.port}/`)]).toEqual([
        host,
        'answered 200',
      ])
    }
    expect(reached.hits).toBeGreaterThan(0)
  })

  test('what the operator wrote wrongly is said', () => {
    expect(() => openAddressRules('10.0.0.0/33')).toThrow('EGRESS_ALLOW holds 10.0.0.0/33')
    expect(() => openAddressRules('intranet')).toThrow('EGRESS_ALLOW holds intranet')
  })
})
