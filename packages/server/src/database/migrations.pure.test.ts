import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const folder = fileURLToPath(new URL('../../migrations', import.meta.url))

test('migrations are numbered from 1 on, without a gap and each number once', () => {
  const numbers = readdirSync(folder).map((name) => Number(/^(\d{4})-/.exec(name)?.[1]))
  expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, n) => n + 1))
})
