import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { startLimited } from './limited.ts'

const autogroup = '/proc/self/autogroup'
const limits = { memoryMb: 512, seconds: 5, cpuSeconds: 5, fileBytes: 1024 }

test.runIf(existsSync(autogroup))(
  'a process that checks files yields as a session to those that answer',
  async () => {
    const child = startLimited(['cat', autogroup], limits, { stdio: ['ignore', 'pipe', 'inherit'] })
    if (!child.stdout) throw new Error('Its output is not read.')
    expect(await text(child.stdout)).toMatch(/ nice 10\n$/)
  },
)
