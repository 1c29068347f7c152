import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { compileCache } from '../../packages/testing/src/processes/compile-cache.ts'
import type { Target } from './sends.ts'

const path = fileURLToPath(new URL('./paced-process.ts', import.meta.url))

/** Not counted: whoever sends compiles what it runs, and connections have their plans before them. */
export const runInSeconds = 2

export interface Pace {
  readonly perSecond: number
  readonly seconds: number
}

export interface PacedResult {
  readonly sent: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Sends at a fixed pace, whether or not earlier ones were answered, from a process of its own. */
export async function pacedSends(target: Target, pace: Pace): Promise<PacedResult> {
  const { origin, appId, apiKey } = target
  const child = fork(path, { execArgv: [], env: { PATH: process.env.PATH, ...compileCache } })
  const ended = once(child, 'exit')
  child.send({ target: { origin, appId, apiKey }, pace })
  // Its end may be heard of before its last message, the end of the channel only after that.
  const [result] = await Promise.race([
    once(child, 'message'),
    once(child, 'disconnect').then(() => Promise.reject(new Error('The load has no result.'))),
  ])
  await ended
  return result
}
