import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder, type Host } from './layout.ts'

// The clock of a host, for processes that are started with it: the kernel has one for all hosts.

const library = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1'

export const withoutClocks = async () =>
  existsSync(library) ? undefined : 'libfaketime is missing: apt-get install faketime'

const fileOf = (host: Host) => join(folder, `clock-${host}`)

/** By how many seconds it is ahead; each process sees it within a second. */
export function setClock(host: Host, seconds: number): void {
  writeFileSync(fileOf(host), `${seconds < 0 ? '' : '+'}${seconds}\n`)
}

/** The environment of a process that goes by it. */
export function clockOf(host: Host): Readonly<Record<string, string>> {
  if (!existsSync(library)) return {}
  if (!existsSync(fileOf(host))) setClock(host, 0)
  return {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: fileOf(host),
    FAKETIME_CACHE_DURATION: '1',
    // Timers go by this one, and no step of a clock moves it.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
}
