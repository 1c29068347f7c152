import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execute } from './commands.ts'
import { folder } from './layout.ts'

// Patroni 3.0 of Debian 12 gives the lock back to a leader that was paused and resumed, also in strict synchronous mode:
// what the new leader has acknowledged meanwhile is lost. The rig takes Patroni of Debian 13, unpacked in its own
// folder; its libraries are those of the installed package. FAULTS_PATRONI=installed tries the installed one.

const suite = 'trixie'

/** For `python3 -m patroni`; empty: the installed one. */
export async function patroniEnvironment(): Promise<Readonly<Record<string, string>>> {
  if (process.env.FAULTS_PATRONI === 'installed') return {}
  const home = join(folder, 'patroni')
  const modules = join(home, 'root/usr/lib/python3/dist-packages')
  if (!existsSync(modules)) await unpack(home)
  return { PYTHONPATH: modules }
}

async function unpack(home: string): Promise<void> {
  const sources = join(home, 'sources')
  for (const path of [sources, join(home, 'lists/partial'), join(home, 'cache/archives/partial')]) {
    mkdirSync(path, { recursive: true })
  }
  writeFileSync(join(sources, 'debian.sources'), ofNewerSuite())
  const options = {
    'Dir::Etc::SourceList': '/dev/null',
    'Dir::Etc::SourceParts': sources,
    'Dir::State::Lists': join(home, 'lists'),
    'Dir::Cache': join(home, 'cache'),
    'APT::Sandbox::User': 'root',
  }
  const given = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  await execute('apt-get', [...given, 'update', '-q'])
  const fetched = 'cd "$1" && shift && apt-get "$@"'
  await execute('/bin/sh', ['-c', fetched, 'sh', home, ...given, 'download', '-q', 'patroni'])
  const file = readdirSync(home).find((name) => name.endsWith('.deb'))
  if (!file) throw new Error(`Debian ${suite} has no Patroni.`)
  await execute('dpkg', ['-x', join(home, file), join(home, 'root')])
}

/** The mirror that this machine uses already. */
function ofNewerSuite(): string {
  const parts = '/etc/apt/sources.list.d'
  const texts = existsSync(parts)
    ? readdirSync(parts).map((name) => readFileSync(join(parts, name), 'utf8'))
    : []
  const address = texts.join('\n').match(/^URIs: (\S+\/debian\/?)$/m)?.[1]
  if (!address) {
    throw new Error(`No mirror of Debian is named in ${parts}: try FAULTS_PATRONI=installed.`)
  }
  const key = '/usr/share/keyrings/debian-archive-keyring.gpg'
  return `Types: deb\nURIs: ${address}\nSuites: ${suite}\nComponents: main\nSigned-By: ${key}\n`
}
