/** Says what happens while it happens. */
export interface Progress {
  /** A line below the name of a step. */
  say(step: string, text: string): void
  /** Runs a step; says what it waits for, and at its end how it went and how long it took. */
  step<T>(
    name: string,
    waitsFor: string,
    work: (say: (text: string) => void) => Promise<T>,
    outcome: (result: T) => string,
  ): Promise<T>
}

const nameWidth = 12

export function openProgress(signal: AbortSignal): Progress {
  const say = (step: string, text: string) => {
    process.stderr.write(`${step.padEnd(nameWidth)} ${text}\n`)
  }
  return {
    say,
    async step(name, waitsFor, work, outcome) {
      signal.throwIfAborted()
      const start = performance.now()
      say(name, `${waitsFor} ...`)
      const result = await work((text) => say(name, text))
      say(name, `${outcome(result)} (${((performance.now() - start) / 1000).toFixed(1)} s)`)
      return result
    },
  }
}
