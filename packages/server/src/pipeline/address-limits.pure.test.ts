import { expect, test } from 'vitest'
import { addressGroup, openAddressLimits } from './address-limits.ts'
import type { Credentials } from './caller.ts'
import { Failure } from './failure.ts'

const nothing = {
  region: undefined,
  apiKey: undefined,
  onBehalfOf: undefined,
  managementKey: undefined,
  managementSecret: undefined,
}
const device = (authToken: string): Credentials => ({ ...nothing, appId: 'a', authToken })
const good = async () => 'good'
const wrong = async () => {
  throw new Failure('AUTH_ERR_AUTH_TOKEN_NOT_FOUND')
}

function open(refusals: number) {
  let now = 0
  const limits = openAddressLimits({ refusals, clockMs: () => now })
  const status = (address: string, token: string, work: () => Promise<string>) =>
    limits.identify(address, device(token), work).then(
      () => 200,
      (error: Failure) => error.status,
    )
  return { status, pass: (ms: number) => (now += ms) }
}

test('H6: an address with too many refusals is refused without work, for a minute', async () => {
  const { status, pass } = open(3)
  for (let n = 0; n < 3; n++) expect(await status('1.1.1.1', `t${n}`, wrong)).toBe(401)
  const asked: string[] = []
  const ask = async () => String(asked.push('asked'))
  expect(await status('1.1.1.1', 'other', ask)).toBe(429)
  expect(asked).toEqual([])
  expect(await status('2.2.2.2', 'other', ask)).toBe(200)
  pass(60_001)
  expect(await status('1.1.1.1', 'other', ask)).toBe(200)
})

test('H6: whoever was good from an address is served there whatever others do', async () => {
  const { status, pass } = open(3)
  expect(await status('1.1.1.1', 'mine', good)).toBe(200)
  for (let n = 0; n < 3; n++) await status('1.1.1.1', `t${n}`, wrong)
  expect(await status('1.1.1.1', 'mine', good)).toBe(200)
  expect(await status('1.1.1.1', 'other', good)).toBe(429)
  // What was good is wrong now: it counts as any other refusal does.
  expect(await status('1.1.1.1', 'mine', wrong)).toBe(401)
  pass(700_000)
  for (let n = 0; n < 3; n++) await status('1.1.1.1', `t${n}`, wrong)
  expect(await status('1.1.1.1', 'mine', good)).toBe(429)
})

test('H6: successes and failures of ours do not count', async () => {
  const { status } = open(3)
  const broken = async () => {
    throw new Failure('ERR_MISSION_FAILED')
  }
  for (let n = 0; n < 10; n++) expect(await status('1.1.1.1', 'mine', good)).toBe(200)
  for (let n = 0; n < 10; n++) expect(await status('1.1.1.1', 'mine', broken)).toBe(503)
  expect(await status('1.1.1.1', 'other', good)).toBe(200)
})

test('IPv6 counts by network, IPv4 by address', () => {
  expect(addressGroup('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64')
  expect(addressGroup('2001:db8::1')).toBe(addressGroup('2001:db8::ffff'))
  expect(addressGroup('1.2.3.4')).toBe('1.2.3.4')
  expect(addressGroup('unknown')).toBe('unknown')
})
