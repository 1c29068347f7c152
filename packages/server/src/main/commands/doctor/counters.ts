import { findWrongCounters, type LogCounter, repairCounter } from '../../../domain/log/index.ts'
import { findWrongReplies, repairReplies } from '../../../domain/messages/index.ts'
import { type Check, failure, ok } from './check.ts'

const remedy = 'Run `chorale doctor --repair`; it is safe while others serve.'
const everyRepairs = 500

interface Counter {
  readonly name: string
  readonly looksAt: string
  /** Keys of the conversations where it is wrong. */
  readonly find: typeof findWrongReplies
  /** In a transaction of its own. */
  readonly repair: typeof repairReplies
}

const checkOf = ({ name, looksAt, find, repair }: Counter): Check => ({
  name: `counters-${name}`,
  looksAt,
  needs: ['schema'],
  async run({ database }) {
    const keys = await find(database.db)
    if (keys.length === 0) return ok('as the entries say')
    const text = `Counters (${name}) of ${keys.length} conversations differ from what is stored.`
    return failure(text, remedy, async (report) => {
      for (const [index, key] of keys.entries()) {
        await database.transaction((db) => repair(db, key))
        if ((index + 1) % everyRepairs === 0) report(`${index + 1} of ${keys.length}`)
      }
      return `counted ${keys.length} conversations again`
    })
  },
})

const ofLog = (name: LogCounter, looksAt: string): Counter => ({
  name,
  looksAt,
  find: (db) => findWrongCounters(db, name),
  repair: (db, key) => repairCounter(db, name, key),
})

export const counterChecks: readonly Check[] = [
  ofLog('heads', 'the head of each conversation is its last entry'),
  ofLog('unread', 'what unread counts are made of, for each participant'),
  ofLog('members', 'the number of participants of each conversation'),
  {
    name: 'replies',
    looksAt: 'the number of replies of each thread is that of its entries',
    find: findWrongReplies,
    repair: repairReplies,
  },
].map(checkOf)
