import { afterAll, expect, test } from 'vitest'
import { openExplainer } from '../../../../testing/src/data/plans.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { takeFresh } from './counting.sql.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const app = stack.use(await startTestApp({ shadow: false }))
const explainer = stack.use(await openExplainer(app.databaseUrl))

interface Node {
  readonly 'Index Name'?: string
  readonly Plans?: readonly Node[]
}

function indexesOf({ 'Index Name': name, Plans = [] }: Node): string[] {
  return [...(name === undefined ? [] : [name]), ...Plans.flatMap(indexesOf)]
}

test('a plan that was made while tables were empty does not read all entries of the app', async () => {
  const log = { bucket: 1, key: 1, seq: 10 }
  const plans = await explainer.plansOf((db) =>
    takeFresh({ appId: app.appId, db }, [
      { ...log, uid: '', kind: 'sent' },
      { ...log, uid: 'ann', kind: 'read' },
    ]),
  )
  const used = plans.flatMap(indexesOf)
  expect(used.some((name) => /^entries_\d+_pkey$/.test(name))).toBe(true)
  expect(used.filter((name) => name.startsWith('entries') && name.includes('app_id'))).toEqual([])
})
