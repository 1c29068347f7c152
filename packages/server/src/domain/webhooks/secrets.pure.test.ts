import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { openVault } from '../../vault/vault.ts'
import { newSecret, secretPlace, signatureHeaders } from './secrets.ts'

const vault = openVault(randomBytes(32))
const at = Math.floor(Date.now() / 1000)
const sent = { appId: 'app', eventId: 'event-1', at, body: '{"trigger":"message_sent"}' }
const current = newSecret()
const old = newSecret()
const seal = (secret: string) => vault.seal(secret, secretPlace('app', 'hook'))
const headersUntil = (oldSecretUntil: number) =>
  signatureHeaders(
    {
      id: 'hook',
      secretEncrypted: seal(current),
      oldSecretEncrypted: seal(old),
      oldSecretUntil,
    },
    vault,
    sent,
  )

test('the old secret signs until its time is up, and not after', () => {
  const during = headersUntil(at + 1)
  for (const secret of [current, old]) new Webhook(secret).verify(sent.body, during)
  const after = headersUntil(at)
  new Webhook(current).verify(sent.body, after)
  expect(() => new Webhook(old).verify(sent.body, after)).toThrow('No matching signature')
  expect(after['webhook-signature']?.split(' ')).toHaveLength(1)
})

test('id, time and body are signed: none of them can be changed on the way', () => {
  const headers = headersUntil(0)
  const webhook = new Webhook(current)
  webhook.verify(sent.body, headers)
  const changed = [
    [sent.body, { ...headers, 'webhook-id': 'event-2' }],
    [sent.body, { ...headers, 'webhook-timestamp': String(at - 1) }],
    [`${sent.body} `, headers],
  ] as const
  for (const [body, shown] of changed) {
    expect(() => webhook.verify(body, shown)).toThrow('No matching signature')
  }
})
