import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { succeeds, waitFor } from './commands.ts'

const group = '/sys/fs/cgroup/memory/chorale-faults'

export const withoutMemoryLimits = async () =>
  existsSync(join(group, '..', 'cgroup.procs'))
    ? undefined
    : 'the kernel of this machine has no memory groups of the first version'

/** The process may have so much more; the kernel kills it when it wants that. Returns what ends the limit. */
export function limitMemory(pid: number, bytes: number): () => Promise<void> {
  mkdirSync(group, { recursive: true })
  writeFileSync(join(group, 'memory.limit_in_bytes'), String(bytes))
  writeFileSync(join(group, 'cgroup.procs'), String(pid))
  return async () => {
    // The kernel refuses while a process is in it, even one that has ended and was not waited for.
    await waitFor('end of the memory group', 20, () => succeeds('rmdir', [group]))
  }
}
