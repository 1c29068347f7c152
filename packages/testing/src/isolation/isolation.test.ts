import { test } from 'vitest'
import { checkIsolation } from './isolation.ts'

// Finding the shortest counterexample takes longer than finding none.
test('an app does not notice its neighbour', () => checkIsolation(8), 600_000)
