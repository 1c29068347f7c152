import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { queues } from './queues.ts'

const source = join(import.meta.dirname, '..')
const files = globSync('**/*.ts', { cwd: source }).filter(
  (path) => !path.endsWith('.test.ts') && path !== join('jobs', 'queue.sql.ts'),
)
const calls = files.flatMap((path) =>
  readFileSync(join(source, path), 'utf8')
    .split(/= defineQueue\b/)
    .slice(1),
)

test('every queue that the code defines is listed, so that it is measured and shown', () => {
  const names = calls.map((call) => /^<\w+>\(\{\s*name: '([\w ]+)',/.exec(call)?.[1] ?? call)
  expect(queues.map(({ name }) => name as string).sort()).toEqual(names.sort())
})

test('every queue that is listed has a runner in a worker', () => {
  const jobs = readFileSync(join(import.meta.dirname, 'jobs.ts'), 'utf8')
  expect(jobs.match(/startRunner\(/g)).toHaveLength(queues.length)
})
