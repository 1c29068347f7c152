import { afterAll, expect, test } from 'vitest'
import { portableEngine } from '../engine/patterns.ts'
import { openCompiler } from './compiler.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

const numbers = (count: number) => Array.from({ length: count }, (_, n) => `word${n}`)
const list = (searchTerms: string, category: 'word' | 'pattern' = 'word') => ({
  category,
  searchTerms,
  file: undefined,
  disallowedSentences: undefined,
})
/** As much as the limits allow. */
const heavy = Array.from({ length: 80 }, (_, n) => `[a${String.fromCodePoint(0x4e00 + n)}].{4}[!?]`)

/** Of this thread alone, in ms. */
async function cpuHere(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

test('C2: checking and compiling leave the event loop free', async () => {
  const compiler = stack.use(openCompiler(portableEngine))
  await compiler.run('a', 'weighList', list('warm'))
  const all = process.cpuUsage()
  const here = await cpuHere(async () => {
    for (let n = 0; n < 5; n++) await compiler.run('a', 'weighList', list(heavy.join(), 'pattern'))
  })
  const { user, system } = process.cpuUsage(all)
  // Nearly all of it was done elsewhere.
  expect(here).toBeLessThan((user + system) / 1000 / 4)
})

test('C2: a rule set of 50,000 words is laid out in another thread, and works here', async () => {
  const compiler = stack.use(openCompiler(portableEngine))
  await compiler.run('a', 'weighList', list('warm'))
  const rule = {
    id: 'r',
    name: 'r',
    revisionId: 'r',
    filters: [],
    actions: ['blockMessage' as const],
    conditions: [
      {
        id: 1,
        isKeywordsReferencePresent: true,
        isMediaPresent: false,
        entity: 'message',
        operand: 'text' as const,
        operator: 'contains' as const,
        category: 'word' as const,
        value: ['big'],
        disguises: true,
      },
    ],
  }
  const lists = JSON.stringify({ big: numbers(50_000) })
  const all = process.cpuUsage()
  let found = 0
  const here = await cpuHere(async () => {
    const set = await compiler.compile('a', [rule], { lists })
    found = set.examine({ text: 'a word49999 here, w o r d' }).length
  })
  expect(found).toBe(1)
  const { user, system } = process.cpuUsage(all)
  expect(here).toBeLessThan((user + system) / 1000 / 2)
})

test('C2: what misses the deadline is refused with a reason, and the next is served', async () => {
  const compiler = stack.use(openCompiler(portableEngine, { deadlineMs: 1 }))
  const late = compiler.run('a', 'weighList', list(heavy.join(), 'pattern'))
  await expect(late).rejects.toMatchObject({
    code: 'ERR_BAD_REQUEST',
    details: { body: [expect.stringContaining('too long')] },
  })
  const patient = stack.use(openCompiler(portableEngine))
  const after = patient.run('a', 'weighList', list('one,two'))
  expect((await after)?.searchTerms).toEqual(['one', 'two'])
})

test('C2: apps take turns, however much one of them has handed in', async () => {
  const compiler = stack.use(openCompiler(portableEngine))
  const ended: string[] = []
  const run = async (appId: string) => {
    await compiler.run(appId, 'weighList', list(numbers(1000).join()))
    ended.push(appId)
  }
  await Promise.all([...Array.from({ length: 20 }, () => run('greedy')), run('modest')])
  // One of them was under way already, and one more has waited longer.
  expect(ended.indexOf('modest')).toBeLessThan(3)
  expect(ended).toHaveLength(21)
})

test('what cannot be taken is said as it was', async () => {
  const compiler = stack.use(openCompiler(portableEngine))
  await expect(compiler.run('a', 'weighList', list('a(', 'pattern'))).rejects.toMatchObject({
    code: 'ERR_BAD_REQUEST',
    details: { searchTerms: [expect.stringContaining('no pattern')] },
  })
})
