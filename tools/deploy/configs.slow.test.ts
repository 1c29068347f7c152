import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { freePort } from '../../packages/server/src/main/start/free-port.ts'
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

/** What the proxy says to a call while no process is there. */
async function answerOf(command: string, args: readonly string[], port: number): Promise<Response> {
  const proxy = spawn(command, [...args], { stdio: 'inherit' })
  const ended = once(proxy, 'exit')
  try {
    return await vi.waitFor(
      async () => {
        const answer = await fetch(`http://127.0.0.1:${port}/v3/users`)
        if (answer.status !== 503) throw new Error(`${command} answered ${answer.status}.`)
        return answer
      },
      { timeout: 20_000, interval: 200 },
    )
  } finally {
    proxy.kill()
    await ended
  }
}

/** Nobody listens there. */
const away = '127.0.0.1:9'

test('haproxy says in the form of the service that nothing is ready, and when to come back', async () => {
  const port = await freePort()
  const config = text('haproxy.cfg')
    .replace('maxconn 40000', 'maxconn 100')
    .replace(/frontend web.*?\n\n/s, '')
    .replace(/bind :443.*/, `bind 127.0.0.1:${port}`)
    .replace(/ port 9464/g, '')
    .replace(/10\.0\.0\.1\d:3000/g, away)
  const path = write('alone.cfg', config)
  const answer = await answerOf('haproxy', ['-db', '-f', path], port)
  expect(answer.headers.get('retry-after')).toBe('2')
  expect(await answer.json()).toMatchObject({ error: { code: 'ERR_MISSION_FAILED' } })
})

test('nginx says the same', async () => {
  const port = await freePort()
  const site = text('nginx.conf')
    .replace(/server \{\s*listen 80;[^}]*\}/, '')
    .replace('listen 443 ssl http2', `listen 127.0.0.1:${port}`)
    .replace(/^\s*ssl_.*$/gm, '')
    .replace(/10\.0\.0\.1\d:3000/g, away)
  const around = `daemon off; pid ${folder}/alone.pid; error_log stderr; events {}
    http { access_log off; include ${write('alone.conf', site)}; }`
  const answer = await answerOf('nginx', ['-c', write('alone-nginx.conf', around)], port)
  expect(answer.headers.get('retry-after')).toBe('2')
  expect(await answer.json()).toMatchObject({ error: { code: 'ERR_MISSION_FAILED' } })
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
