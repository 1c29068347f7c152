import { test } from 'vitest'
import { checkIsolation } from './isolation.ts'

const timeoutMs = 30 * 60_000

test(
  'an app does not notice its neighbour, in many more ways',
  () => checkIsolation(500),
  timeoutMs,
)
