import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { originsOf, readConfig } from './config.ts'

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

test('a secret that comes from a file comes without the newline at its end', () => {
  const path = join(folder, 'secret')
  writeFileSync(path, 'postgres://file.example/chorale\n')
  const { DATABASE_URL } = readConfig({ CHORALE_MASTER_KEY, DATABASE_URL_FILE: path }, folder)
  expect(DATABASE_URL).toBe('postgres://file.example/chorale')
})

test.each([31, 33, 64])('a master key of %i bytes is refused', (bytes) => {
  const key = randomBytes(bytes).toString('base64')
  expect(() => readConfig({ CHORALE_MASTER_KEY: key }, folder)).toThrow('not 32 bytes')
})

test('origins may be written with blanks between them', () => {
  const GATEWAY_ORIGINS = 'https://a.example, https://b.example '
  const config = readConfig({ CHORALE_MASTER_KEY, GATEWAY_ORIGINS }, folder)
  expect(originsOf(config)).toEqual(['https://a.example', 'https://b.example'])
})

test('calls to foreign addresses are made over TLS, to public ones, unless the operator says otherwise', () => {
  const { EGRESS_HTTP, EGRESS_ALLOW } = readConfig({ CHORALE_MASTER_KEY }, folder)
  expect([EGRESS_HTTP, EGRESS_ALLOW]).toEqual([false, ''])
})
