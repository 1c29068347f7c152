import { readFileSync } from 'node:fs'

/** How much memory a process has, in megabytes, twice a second until it ends. */
export function watchMemory(pid: number | undefined): () => readonly number[] {
  const samples: number[] = []
  const timer = setInterval(() => {
    const megabytes = memoryOf(pid)
    if (megabytes === undefined) clearInterval(timer)
    else samples.push(megabytes)
  }, 500)
  return () => {
    clearInterval(timer)
    return samples
  }
}

function memoryOf(pid: number | undefined): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const kilobytes = /^VmRSS:\s+(\d+)/m.exec(status)?.[1]
    return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1024)
  } catch {
    return undefined
  }
}
