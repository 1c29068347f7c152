/** Calls without a pause, from a few callers at once, until it is stopped. */
export interface SteadyLoad extends AsyncDisposable {
  readonly answered: () => number
  readonly failures: readonly string[]
  /** Resolves when every call under way has its answer. */
  stop(): Promise<void>
}

/** `call` returns what went wrong, or undefined; what it throws is a failure too. */
export function startSteadyLoad(
  callers: number,
  call: (number: number) => Promise<string | undefined>,
): SteadyLoad {
  const failures: string[] = []
  let answered = 0
  let made = 0
  let stopped = false
  const loop = async () => {
    while (!stopped) {
      const failure = await call(++made).catch((error: unknown) => String(error))
      if (failure) failures.push(failure)
      else answered++
    }
  }
  const loops = Array.from({ length: callers }, loop)
  const stop = async () => {
    stopped = true
    await Promise.all(loops)
  }
  return { answered: () => answered, failures, stop, [Symbol.asyncDispose]: stop }
}
