import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { openClientAddress } from './client-address.ts'

/** All that is looked at. */
function from(remoteAddress: string, forwarded?: string): IncomingMessage {
  const headers = { 'x-forwarded-for': forwarded }
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage
}

describe('the address of a client', () => {
  test.each([
    ['nobody is believed unless told', '', '9.9.9.9', '1.1.1.1', '9.9.9.9'],
    ['one proxy', '1', '10.0.0.1', '1.1.1.1', '1.1.1.1'],
    ['one proxy, and a client that lies', '1', '10.0.0.1', '6.6.6.6, 1.1.1.1', '1.1.1.1'],
    ['two proxies', '2', '10.0.0.1', '6.6.6.6, 1.1.1.1, 10.0.0.2', '1.1.1.1'],
    ['proxies by address', '10.0.0.0/8', '10.0.0.1', '6.6.6.6, 1.1.1.1,10.0.0.2', '1.1.1.1'],
    ['a stranger who plays the proxy', '10.0.0.0/8', '9.9.9.9', '1.1.1.1', '9.9.9.9'],
    ['a proxy that says nothing', '10.0.0.0/8', '10.0.0.1', undefined, '10.0.0.1'],
    ['what is no address', '2', '10.0.0.1', 'nonsense, 1.1.1.1', '1.1.1.1'],
    ['a proxy of IPv6', 'fd00::5', 'fd00:0:0::5', '1.1.1.1', '1.1.1.1'],
    ['IPv4 in the notation of IPv6', '10.0.0.1', '::ffff:10.0.0.1', '2001:DB8::0:1', '2001:db8::1'],
    ['with its port', '1', '10.0.0.1', '1.1.1.1:5000', '1.1.1.1'],
    ['with its port, IPv6', '1', '10.0.0.1', '[2001:db8::1]:5000', '2001:db8::1'],
  ])('%s', (_, trust, remote, forwarded, client) => {
    expect(openClientAddress(trust)(from(remote, forwarded))).toBe(client)
  })

  test('a list of proxies that holds something else is refused', () => {
    expect(() => openClientAddress('10.0.0.1,nginx')).toThrow('TRUST_PROXY holds nginx')
  })
})
