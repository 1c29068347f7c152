import type { Api } from '@chorale/contract/api'
import type { Client } from '@chorale/contract/operation'
import { restClient } from '@chorale/sdk'
import { settingsFor, startServing } from '../program.ts'
import type { TestApp } from '../test-app.ts'

/** `chorale serve` in a process of its own, which can be killed and comes back on its port. */
export interface MortalServer extends AsyncDisposable {
  readonly client: Client<Api>
  /** `kill -9`; resolves when its successor listens. */
  killAndRestart(): Promise<void>
}

export async function startMortalServer(app: TestApp): Promise<MortalServer> {
  const settings = { ...settingsFor(app.databaseUrl), CHORALE_MASTER_KEY: app.masterKey }
  let serving = await startServing(settings)
  const { origin } = serving
  const { appId, full: apiKey } = app.keys
  return {
    client: restClient({ baseUrl: `${origin}/v3`, appId, apiKey }),
    async killAndRestart() {
      serving.signal('SIGKILL')
      await serving.ended
      serving = await startServing(settings, '--port', new URL(origin).port)
    },
    [Symbol.asyncDispose]: () => serving[Symbol.asyncDispose](),
  }
}
