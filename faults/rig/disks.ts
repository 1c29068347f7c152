import { existsSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { execute, succeeds } from './commands.ts'
import { type EngineHost, engineHosts, folder } from './layout.ts'

// PostgreSQL and NATS of each host have a disk of their own: a file that is mounted, and can be filled and slowed down.

const gigabytes = { postgres: 12, nats: 4 } as const
export type DiskOf = keyof typeof gigabytes

/** Where it is mounted. */
export const diskOf = (engine: DiskOf, host: EngineHost) =>
  join(folder, 'disks', `${engine}-${host}`)
const fileOf = (engine: DiskOf, host: EngineHost) => `${diskOf(engine, host)}.ext4`
const engines = ['postgres', 'nats'] as const
const all = engines.flatMap((engine) => engineHosts.map((host) => [engine, host] as const))

/** On a machine that mounts no files they are plain folders. */
export async function openDisks(): Promise<void> {
  for (const [engine, host] of all) {
    const [path, file] = [diskOf(engine, host), fileOf(engine, host)]
    if (isMounted(path)) continue
    mkdirSync(path, { recursive: true })
    // It takes as much of the real disk as was written to it.
    await execute('truncate', ['-s', `${gigabytes[engine]}G`, file])
    await execute('mkfs.ext4', ['-q', '-m', '0', file])
    await succeeds('mount', ['-o', 'loop', file, path])
  }
}

export async function closeDisks(): Promise<void> {
  for (const [engine, host] of all) {
    const path = diskOf(engine, host)
    if (isMounted(path)) await execute('umount', ['--lazy', path])
  }
}

export const withoutDisks = async () =>
  isMounted(diskOf('postgres', 'e1')) ? undefined : 'this machine cannot mount a file as a disk'

function isMounted(path: string): boolean {
  return readFileSync('/proc/mounts', 'utf8').includes(` ${path} `)
}

/** Nothing more can be written to it. Returns what gives the space back. */
export async function fillDisk(engine: DiskOf, host: EngineHost): Promise<() => void> {
  const path = diskOf(engine, host)
  const ballast = join(path, 'ballast')
  const { bavail, bsize } = statfsSync(path)
  await succeeds('fallocate', ['-l', String(bavail * bsize), ballast])
  // What is left in corners.
  await succeeds('dd', ['if=/dev/zero', `of=${ballast}.rest`, 'bs=4k'])
  return () => {
    for (const each of [ballast, `${ballast}.rest`]) rmSync(each, { force: true })
  }
}

const throttle = '/sys/fs/cgroup/blkio/blkio.throttle.write_bps_device'

export const withoutSlowDisks = async () =>
  (await withoutDisks()) ??
  (existsSync(throttle) ? undefined : 'the kernel of this machine slows no disks down (blkio)')

/** Returns what makes it as fast as it was. */
export async function slowDisk(
  engine: DiskOf,
  host: EngineHost,
  bytesPerSecond: number,
): Promise<() => void> {
  const listed = await execute('losetup', ['--associated', fileOf(engine, host)])
  const [device = ''] = listed.split(':')
  const number = readFileSync(`/sys/block/${basename(device)}/dev`, 'utf8').trim()
  writeFileSync(throttle, `${number} ${bytesPerSecond}`)
  return () => writeFileSync(throttle, `${number} 0`)
}
