import { test } from 'vitest'
import { checkWalls } from './walls.ts'

const timeoutMs = 30 * 60_000

test('an app does not notice its neighbour, in many more ways', () => checkWalls(500), timeoutMs)
