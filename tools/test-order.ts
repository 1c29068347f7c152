import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { root } from './tree.ts'

/**
 * Take half a minute or more, longest first. Vitest begins with the largest files where it has no times
 * of an earlier run, as in CI: some of these are a few lines, and would begin when all others are done.
 */
const long = [
  'packages/server/src/http/bad-input.test.ts',
  'packages/server/src/main/start/start.test.ts',
  'bench/hostile.test.ts',
  'packages/server/src/main/commands/status/status.test.ts',
  'packages/server/src/domain/stats/recount.test.ts',
  'bench/idle.test.ts',
  'packages/testing/src/isolation/isolation.test.ts',
  'packages/server/src/domain/conversations/unread-drift.test.ts',
  'packages/server/src/domain/messages/send/send-killed.test.ts',
  'packages/server/src/outbox/nats-away.test.ts',
  'packages/server/src/database/upgrade.test.ts',
  'packages/server/src/main/pooler.test.ts',
  'packages/server/src/pipeline/in-flight.test.ts',
].map((path) => join(root, path))

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = long.filter((path) => !existsSync(path))
    if (gone.length > 0) throw new Error(`tools/test-order.ts names ${gone.join(', ')}.`)
    const sorted = await super.sort(files)
    // Pure tests last: they are short, and a worker of Vitest is for one project.
    const rank = ({ moduleId, project }: TestSpecification) => {
      const place = long.indexOf(moduleId)
      if (place >= 0) return place
      return long.length + Number(project.name === 'pure')
    }
    return sorted.sort((one, other) => rank(one) - rank(other))
  }
}
