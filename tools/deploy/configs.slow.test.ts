import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { text } from './files.ts'
import { installPrograms, run } from './programs.ts'

// What each program itself says about its file. Names and ports: settings.pure.test.ts.

const folder = mkdtempSync(join(tmpdir(), 'chorale-configs-'))
const certificate = join(folder, 'chorale.pem')
const key = join(folder, 'chorale.key')

function write(name: string, content: string): string {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

beforeAll(() => {
  installPrograms({ haproxy: 'haproxy', nginx: 'nginx-light', 'systemd-analyze': 'systemd' })
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost']
  run('openssl', [...request, '-keyout', key, '-out', certificate])
}, 600_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('haproxy takes its file', () => {
  const certificates = join(folder, 'haproxy')
  mkdirSync(certificates)
  write('haproxy/all.pem', readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'))
  const config = text('haproxy.cfg').replace('/etc/haproxy/certs/', `${certificates}/`)
  run('haproxy', ['-c', '-f', write('haproxy.cfg', config)])
  const wrong = write('wrong.cfg', config.replace('default_backend api', 'default_backend apis'))
  expect(() => run('haproxy', ['-c', '-f', wrong])).toThrow(
    "unable to find required default_backend: 'apis'",
  )
})

test('nginx takes its file', () => {
  const site = write('site.conf', text('nginx.conf').replaceAll('/etc/nginx/certs', folder))
  const around = `pid ${folder}/pid; error_log stderr; events {} http { include ${site}; }`
  run('nginx', ['-t', '-c', write('nginx.conf', around)])
})

test('systemd takes its unit, and finds little to attack', () => {
  // The program is not installed here.
  const unit = text('systemd/chorale.service').replaceAll('/usr/bin/chorale', process.execPath)
  const path = write('chorale.service', unit)
  run('systemd-analyze', ['verify', path])
  run('systemd-analyze', ['security', '--offline=true', '--threshold=20', path])
  const open = write(
    'open.service',
    unit.replaceAll(/^(?:Protect|Restrict|SystemCall|Private|Capab).*$/gm, ''),
  )
  expect(() =>
    run('systemd-analyze', ['security', '--offline=true', '--threshold=20', open]),
  ).toThrow()
})
