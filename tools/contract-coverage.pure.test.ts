import { expect, test } from 'vitest'
import { gapsOf } from './contract-coverage.ts'

const operations = new Map([
  ['getUser', { errors: ['ERR_UID_NOT_FOUND', 'ERR_PERMISSION_DENIED'] }],
  ['listUsers', { errors: [] }],
])
const route = ['ERR_BAD_REQUEST', 'ERR_EXCEPTION', 'ERR_MISSION_FAILED']
const everything = [
  'getUser ok',
  'getUser ERR_UID_NOT_FOUND',
  'getUser ERR_PERMISSION_DENIED',
  'listUsers ok',
  'listUsers ERR_BAD_REQUEST',
]
const gapsWithout = (...missing: string[]) =>
  gapsOf(operations, route, new Set(everything.filter((line) => !missing.includes(line))))

test('finds nothing where every answer was seen, trouble apart', () => {
  expect(gapsWithout()).toEqual([])
})

test('names the operation that never succeeded, even if it was refused', () => {
  expect(gapsWithout('listUsers ok')).toEqual([{ operation: 'listUsers', answers: ['ok'] }])
})

test('names each declared error that no test provoked', () => {
  expect(gapsWithout('getUser ERR_UID_NOT_FOUND', 'getUser ERR_PERMISSION_DENIED')).toEqual([
    { operation: 'getUser', answers: ['ERR_UID_NOT_FOUND', 'ERR_PERMISSION_DENIED'] },
  ])
})

test('names an error of the route that was seen nowhere; once anywhere is enough', () => {
  expect(gapsWithout('listUsers ERR_BAD_REQUEST')).toEqual([
    { operation: 'any', answers: ['ERR_BAD_REQUEST'] },
  ])
})

test('names everything where nothing was seen', () => {
  expect(gapsOf(operations, route, new Set())).toEqual([
    { operation: 'getUser', answers: ['ok', 'ERR_UID_NOT_FOUND', 'ERR_PERMISSION_DENIED'] },
    { operation: 'listUsers', answers: ['ok'] },
    { operation: 'any', answers: ['ERR_BAD_REQUEST'] },
  ])
})
