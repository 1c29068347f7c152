import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { waitUntil } from '../../tools/services/commands.ts'
import type { Serving } from './serving.ts'

/** Bytes that a process of the service holds, without what it could let go of. */
export interface Memory {
  /** In the heap of JavaScript, and in buffers beside it. */
  readonly inUse: number
  /** Of the machine. */
  readonly resident: number
}

/** With these settings, a process lets its memory be looked at. */
export const openToInspection = { NODE_OPTIONS: '--inspect-port=0' }

export async function memoryOf({ pid, operationsOrigin, log }: Serving): Promise<Memory> {
  const address = () => /Debugger listening on (\S+)/.exec(log())?.[1]
  if (!address()) process.kill(pid, 'SIGUSR1')
  await waitUntil(() => address() !== undefined, 10_000)
  const inspector = new WebSocket(address() ?? '')
  await once(inspector, 'open')
  inspector.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }))
  await once(inspector, 'message')
  inspector.close()
  const text = await (await fetch(`${operationsOrigin}/metrics`)).text()
  const read = (name: string) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1])
  return {
    inUse: read('nodejs_heap_size_used_bytes') + read('nodejs_external_memory_bytes'),
    resident: read('process_resident_memory_bytes'),
  }
}

/** Megabytes that a process has of the machine, and has had at most. */
export function residentMb(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024
  return { now: read('VmRSS'), peak: read('VmHWM') }
}
