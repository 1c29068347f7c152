import { inspect } from './inspect.ts'
import type { Question } from './question.ts'

// The program of the processes that `inspectors.ts` starts.
process.on('message', async (question: Question) => {
  process.send?.(await inspect(question))
})
process.on('disconnect', () => process.exit())
