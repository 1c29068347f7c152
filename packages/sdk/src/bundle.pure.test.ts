import { allOperations } from '@chorale/contract/api'
import { describe, expect, test } from 'vitest'
import { deviceRoutes, managementRoutes, serverRoutes } from './routes.ts'
import { bundle } from './testing/bundle.ts'

describe('in a browser', () => {
  test.each([
    ['*', 22_000],
    ['{ createChat }', 14_500],
    ['{ connect }', 8000],
    ['{ deviceClient }', 3000],
  ])('export %s is below %i bytes, gzipped, and none of it is schemas', async (names, most) => {
    const { modules, gzipped } = await bundle(names)
    console.log(`sdk: export ${names} takes ${gzipped} bytes gzipped`)
    expect(gzipped).toBeLessThan(most)
    expect(modules.filter((id) => !id.includes('/packages/sdk/src/'))).toEqual([])
  })

  test('a page loads only what it uses', async () => {
    const { modules } = await bundle('{ connect }')
    expect(modules.filter((id) => /\/(rest|routes)\.ts$|\/(chat|files)\//.test(id))).toEqual([])
  })
})

test('the table of routes is the contract', () => {
  const routes: Readonly<Record<string, string>> = {
    ...deviceRoutes,
    ...serverRoutes,
    ...managementRoutes,
  }
  const expected = [...allOperations].map(([name, { method, path }]) => [name, `${method} ${path}`])
  expect(routes).toEqual(Object.fromEntries(expected))
  for (const [name, { device, requires }] of allOperations) {
    expect(name in deviceRoutes, name).toBe(device !== undefined)
    expect(name in managementRoutes, name).toBe(['management', 'session'].includes(requires))
  }
  expect(Object.keys(routes)).toHaveLength(allOperations.size)
})
