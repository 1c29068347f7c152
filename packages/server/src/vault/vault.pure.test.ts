import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { openVault } from './vault.ts'

const place = { appId: 'a', table: 'api_keys', field: 'key' }

test('the same secret has the same hash in one place, and another in any other', () => {
  const vault = openVault(randomBytes(32))
  const hash = vault.hash('secret', place)
  expect(vault.hash('secret', place)).toEqual(hash)
  expect(vault.hash('secret', { ...place, appId: 'b' })).not.toEqual(hash)
  expect(vault.hash('other', place)).not.toEqual(hash)
})
