import { expect, test } from 'vitest'
import { openActiveApps } from './active-apps.ts'

test('an app has a neighbour for a second after the last call of any other app', () => {
  let now = 0
  const apps = openActiveApps(() => now)
  apps.seen('a')
  expect(apps.hasOther('a')).toBe(false)
  apps.seen('b')
  expect(apps.hasOther('a')).toBe(true)
  expect(apps.hasOther('b')).toBe(true)
  apps.seen('a')
  expect(apps.hasOther('a')).toBe(true)
  now += 1001
  apps.seen('a')
  expect(apps.hasOther('a')).toBe(false)
  expect(apps.hasOther('b')).toBe(true)
  apps.seen('c')
  expect(apps.hasOther('a')).toBe(true)
})
