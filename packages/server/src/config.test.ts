import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readConfig } from './config.ts'

const folder = mkdtempSync(join(tmpdir(), 'chorale-env-'))
afterAll(() => rmSync(folder, { recursive: true }))
writeFileSync(join(folder, '.env'), 'PORT=4444\nHOST=0.0.0.0\n')
const CHORALE_MASTER_KEY = randomBytes(32).toString('base64')

test('L17: a file .env in the current folder has no say in production', () => {
  const production = readConfig({ CHORALE_MASTER_KEY, NODE_ENV: 'production' }, folder)
  expect([production.PORT, production.HOST]).toEqual([3000, '127.0.0.1'])
})

test('elsewhere it has, and the environment wins over it', () => {
  const { PORT, HOST } = readConfig({ CHORALE_MASTER_KEY, PORT: '5555' }, folder)
  expect([PORT, HOST]).toEqual([5555, '0.0.0.0'])
})
