import type { Signals } from '../bus/signals.ts'
import { openSharedCounts } from '../limits/shared-counts.ts'
import { openRateLimit, type RateLimit } from '../pipeline/rate-limit.ts'

const subject = 'budgets'

/** The budgets of the install. Without signals, those of this process alone. */
export function openBudgets(signals: Signals | undefined): RateLimit & Disposable {
  const wire = signals && {
    publish: (text: string) => signals.publish(subject, text),
    listen: (hear: (text: string) => void) => signals.listen(subject, hear),
    onRestored: (restored: () => void) => signals.onRestored(restored),
  }
  const counts = openSharedCounts({ windowMs: 60_000, wire })
  return { ...openRateLimit(counts), [Symbol.dispose]: () => counts[Symbol.dispose]() }
}
