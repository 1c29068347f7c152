import { test } from 'vitest'
import { checkWalls } from './walls.ts'

test('an app does not notice its neighbour, in many more ways', () => checkWalls(500))
