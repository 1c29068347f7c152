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

const readFile = (text: string, environment: NodeJS.ProcessEnv = {}) => {
  const own = mkdtempSync(join(folder, 'own-'))
  writeFileSync(join(own, '.env'), text)
  return readConfig({ CHORALE_MASTER_KEY, ...environment }, own)
}

test('.env may have quotes, comments, blanks, `export` and digits in names', () => {
  const text = 'export HOST = "0.0.0.0" # all\nSMTP_FROM=\'a@b.example\'\n# PORT=1\nPORT=4444\n'
  const { HOST, SMTP_FROM, PORT } = readFile(text)
  expect([HOST, SMTP_FROM, PORT]).toEqual(['0.0.0.0', 'a@b.example', 4444])
})

test('every unknown name in .env is refused, with the nearest that is known', () => {
  expect(() => readFile('PROT=1\nDATABASE_HOST=x\n')).toThrow(
    'Unknown settings in .env: DATABASE_HOST (did you mean DATABASE_URL?), PROT (did you mean PORT?).',
  )
})

test.each([
  ['DATABASE_POOL_SZIE', 'DATABASE_POOL_SIZE'],
  ['DATABSE_URL', 'DATABASE_URL'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['NATS_PASWORD_FILE', 'NATS_PASSWORD_FILE'],
  ['CHORALE_KEY', 'CHORALE_MASTER_KEY'],
  ['GATEWAY_MAX_CONNECTIONS', 'GATEWAY_CONNECTIONS'],
  ['WEBHOOK_TIMEOUT', 'WEBHOOK_TIMEOUT_MS'],
])('a mistaken name in the environment is refused: %s', (name, nearest) => {
  expect(() => readConfig({ CHORALE_MASTER_KEY, [name]: '1' }, folder)).toThrow(
    `Unknown settings in the environment: ${name} (did you mean ${nearest}?)`,
  )
})

test.each([
  // Of shells and other programs.
  { PATH: '/bin', HOME: '/', HOSTNAME: 'a', HOSTS: 'a', POST: '1', LOGNAME: 'a', LOG_FORMAT: 'x' },
  { DATABASE_HOST: 'a', SMTP_HOST: 'a', NATS_CONTEXT: 'a', TWILIO_ACCOUNT_SID: 'a', NODE_ENV: 'x' },
  // Of commands that are called in the same shell.
  { CHORALE_MOVE_FROM_KEY: 'a', CHORALE_ARCHIVE_URL: 'a' },
  // Of Kubernetes, for services called gateway and chorale-api.
  { GATEWAY_SERVICE_HOST: '10.0.0.1', GATEWAY_SERVICE_PORT_HTTP: '80' },
  { CHORALE_API_PORT: 'tcp://10.0.0.1:80', CHORALE_API_PORT_80_TCP_ADDR: '10.0.0.1' },
])('names of others in the environment are left alone: %j', (environment) => {
  expect(readConfig({ CHORALE_MASTER_KEY, ...environment }, folder).PORT).toBe(4444)
})

test('a value that must be one of a list is refused with the list', () => {
  const wrong = { CHORALE_MASTER_KEY, DOCS: 'yes', PORT: 'x' }
  expect(() => readConfig(wrong, folder)).toThrow(
    /^A setting is wrong: (?=.*DOCS must be one of on, off)(?=.*PORT must be integer)/,
  )
})

test('a pooler that shares connections needs an address past it', () => {
  const pooled = { CHORALE_MASTER_KEY, DATABASE_POOLER: 'transaction' }
  expect(() => readConfig(pooled, folder)).toThrow('DATABASE_SESSION_URL')
  const DATABASE_SESSION_URL = 'postgres://direct.example/chorale'
  expect(readConfig({ ...pooled, DATABASE_SESSION_URL }, folder).DATABASE_POOLER).toBe(
    'transaction',
  )
})
