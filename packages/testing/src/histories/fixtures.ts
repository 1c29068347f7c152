import { openAppendBatcher } from '../../../server/src/domain/log/log.ts'
import { startTestApp, type TestApp } from '../service/test-app.ts'
import type { Fixture } from './player.ts'
import { crowd } from './steps.ts'

/** A fresh group name in an app of its own kind, as often as a history is played. */
export interface Fixtures extends AsyncDisposable {
  readonly app: TestApp
  next(actionsCount: boolean): Fixture
}

/** Two apps with the whole crowd: in one of them actions count, in the other they do not. */
export async function openFixtures(): Promise<Fixtures> {
  const app = await startTestApp({ shadow: false })
  const loud = app.keys
  const quiet = await app.anotherApp()
  const many = { 'rateLimits.standard': 1_000_000_000, 'rateLimits.core': 1_000_000_000 }
  const settings = {
    [loud.appId]: many,
    [quiet.appId]: { ...many, 'core.conversations.updateOnGroupActions': false },
  }
  for (const keys of [loud, quiet]) {
    const client = app.client(keys, 'full')
    const { appId } = keys
    await client.mapAppSettings({ params: { appId }, body: { settings: settings[appId] ?? {} } })
    for (const uid of crowd) await client.createUser({ body: { uid, name: uid } })
  }
  const batcher = openAppendBatcher(app.db, () => Math.floor(Date.now() / 1000))
  let played = 0
  return {
    app,
    next(actionsCount) {
      const keys = actionsCount ? loud : quiet
      const client = app.client(keys, 'full')
      return { appId: keys.appId, db: app.db, client, batcher, guid: `g${++played}`, actionsCount }
    },
    async [Symbol.asyncDispose]() {
      await batcher.idle()
      await app[Symbol.asyncDispose]()
    },
  }
}
