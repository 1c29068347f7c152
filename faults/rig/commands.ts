import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** What a program printed. Throws with what it said when it failed. */
export async function execute(program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run(program, [...args], { maxBuffer: 2 ** 26 })
  return stdout
}

/** The same, where failing is an answer. */
export async function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  try {
    await execute(program, args)
    return true
  } catch {
    return false
  }
}

export async function waitFor<T>(
  what: string,
  seconds: number,
  look: () => Promise<T | undefined | false>,
): Promise<T> {
  const until = Date.now() + seconds * 1000
  for (;;) {
    const found = await look()
    if (found) return found
    if (Date.now() > until) throw new Error(`After ${seconds} s there was no ${what}.`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
