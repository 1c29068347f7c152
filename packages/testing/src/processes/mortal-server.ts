import { type Settings, startServing } from './program.ts'

/** `chorale serve` in a process of its own, which can be killed and comes back on its port. */
export interface MortalServer extends AsyncDisposable {
  /** Empty where nothing listens: a worker. */
  readonly origin: string
  /** `kill -9`. */
  kill(): Promise<void>
  /** Resolves when its successor is ready. */
  start(): Promise<void>
}

export async function startMortalServer(
  settings: Settings,
  ...args: readonly string[]
): Promise<MortalServer> {
  let serving = await startServing(settings, ...args)
  const { origin } = serving
  const samePort = origin === '' ? [] : ['--port', new URL(origin).port]
  return {
    origin,
    async kill() {
      serving.signal('SIGKILL')
      await serving.ended
    },
    async start() {
      serving = await startServing(settings, ...args, ...samePort)
    },
    [Symbol.asyncDispose]: () => serving[Symbol.asyncDispose](),
  }
}
