import { findWrongCounters, type LogCounter, repairCounter } from '../../../domain/log/index.ts'
import { countWrongReplies, repairReplies } from '../../../domain/messages/index.ts'
import { type Check, failure, ok } from './check.ts'

const remedy = 'Run `chorale doctor --repair`; it is safe while others serve.'
const everyRepairs = 500

const logCounter = (counter: LogCounter, looksAt: string): Check => ({
  name: `counters-${counter}`,
  looksAt,
  needs: ['schema'],
  async run({ database }) {
    const keys = await findWrongCounters(database.db, counter)
    if (keys.length === 0) return ok('as the entries say')
    const text = `Counters (${counter}) of ${keys.length} conversations differ from what is stored.`
    return failure(text, remedy, async (report) => {
      for (const [index, key] of keys.entries()) {
        await database.transaction((db) => repairCounter(db, counter, key))
        if ((index + 1) % everyRepairs === 0) report(`${index + 1} of ${keys.length}`)
      }
      return `counted ${keys.length} conversations again`
    })
  },
})

const replies: Check = {
  name: 'counters-replies',
  looksAt: 'the number of replies of each thread is that of its entries',
  needs: ['schema'],
  async run({ database: { db } }) {
    const count = await countWrongReplies(db)
    if (count === 0) return ok('as the entries say')
    const text = `The number of replies of ${count} threads differs from what is stored.`
    return failure(text, remedy, async () => `counted ${await repairReplies(db)} threads again`)
  },
}

export const counterChecks: readonly Check[] = [
  logCounter('heads', 'the head of each conversation is its last entry'),
  logCounter('unread', 'what unread counts are made of, for each participant'),
  logCounter('members', 'the number of participants of each conversation'),
  replies,
]
