import { permissionNames } from '@chorale/contract/permissions'
import { expect, test } from 'vitest'
import { permissions } from './app/permission.ts'
import { groups } from './navigation.ts'

test('permissions are those of the contract', () => {
  expect([...permissions]).toEqual([...permissionNames])
})

test('every page has an address and a title of its own', () => {
  const pages = groups.flatMap((group) => group.pages)
  const addresses = pages.map(({ scope = 'app', path }) => `${scope} ${path}`)
  expect(new Set(addresses).size).toBe(addresses.length)
  for (const { path, title } of pages) {
    expect(path).toMatch(/^[a-z][a-z-]*(?:\/[a-z][a-z-]*)*$/)
    expect(title).toMatch(/^[A-Z]/)
  }
})
