import { test } from 'vitest'
import { checkWalls } from './walls.ts'

// Finding the shortest counterexample takes longer than finding none.
test('an app does not notice its neighbour', () => checkWalls(16), 600_000)
