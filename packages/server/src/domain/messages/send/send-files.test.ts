import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { restClient } from '@chorale/sdk'
import { afterAll, expect, test } from 'vitest'
import { settingsFor, startServing } from '../../../../../testing/src/processes/program.ts'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
await app.given.users('ann', 'bob')

const packages = new URL('../../../../../', import.meta.url)
const watch = new URL('../../../../../testing/src/processes/executed-files.ts', import.meta.url)
const maxFiles = 52

/** Files that ran in each of ten sends: background work meets some of these, and never all. */
async function filesOfSend(): Promise<string[]> {
  const settings = {
    ...settingsFor(app.databaseUrl),
    CHORALE_MASTER_KEY: app.masterKey,
    NODE_OPTIONS: `--import=${watch.href}`,
  }
  await using serving = await startServing(settings, '--parts', 'api')
  const { appId, keys } = app
  const calls = restClient({ baseUrl: `${serving.origin}/v3`, appId, apiKey: keys.full })
  const body = { receiver: 'bob', receiverType: 'user', data: { text: 'hello' } } as const
  const send = async (times: number) => {
    for (let n = 0; n < times; n++) await calls.sendMessage({ onBehalfOf: 'ann', body })
  }
  await send(20)
  serving.signal('SIGUSR2')
  await serving.said('files are watched')
  for (let n = 0; n < 10; n++) {
    await send(1)
    // What is published behind a send is none of the work of the next one.
    await sleep(100)
  }
  const executed = () => [...serving.output().matchAll(/^\{"executed":(.*)\}$/gm)]
  await expect.poll(() => executed().length).toBe(10)
  const [first, ...others] = executed().map(([, urls = '']) => new Set<string>(JSON.parse(urls)))
  return [...(first ?? [])]
    .filter((url) => url.startsWith(packages.href) && url !== watch.href)
    .filter((url) => others.every((set) => set.has(url)))
    .map((url) => url.slice(packages.href.length))
    .toSorted()
}

test('a send runs the files that docs/life-of-a-message.md lists, and few of them', async () => {
  const files = await filesOfSend()
  const page = await readFile(new URL('../docs/life-of-a-message.md', packages), 'utf8')
  const [, listed = ''] = /^## Files of a send$.*?^```$(.*?)^```$/ms.exec(page) ?? []
  const paste = `The page has to list these ${files.length} files:\n\n${files.join('\n')}\n`
  expect(listed.trim().split('\n'), paste).toEqual(files)
  expect(files.length).toBeLessThanOrEqual(maxFiles)
}, 300_000)
