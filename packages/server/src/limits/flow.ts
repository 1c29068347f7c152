/** So much a second for each key, and what was left over in the second before. */
export interface Flow {
  /** False: too much, and nothing is taken. More than a whole second's is taken from a full one only. */
  take(key: string, amount: number): boolean
  /** Takes it in any case. What is not there is owed, up to what a second brings. */
  spend(key: string, amount: number): void
  /** Until nothing is owed any more. */
  msInDebt(key: string): number
}

interface Level {
  left: number
  at: number
}

const maxIdle = 10_000

export function openFlow(perSecond: number, clock: () => number = () => performance.now()): Flow {
  const levels = new Map<string, Level>()

  const refilled = ({ left, at }: Level, now: number): number =>
    Math.min(perSecond, left + ((now - at) / 1000) * perSecond)

  /** A key whose second is full is as good as a new one. */
  const forgetFull = (now: number) => {
    for (const [key, level] of levels) {
      if (refilled(level, now) >= perSecond) levels.delete(key)
    }
  }

  const leftOf = (key: string, now: number): number => {
    const level = levels.get(key)
    return level ? refilled(level, now) : perSecond
  }

  /** Below zero: a debt, which the next seconds pay. */
  const set = (key: string, left: number, now: number) => {
    if (levels.size >= maxIdle && !levels.has(key)) forgetFull(now)
    levels.set(key, { left, at: now })
  }

  return {
    take(key, amount) {
      const now = clock()
      const left = leftOf(key, now)
      if (left < Math.min(amount, perSecond)) return false
      set(key, left - amount, now)
      return true
    },
    spend(key, amount) {
      const now = clock()
      set(key, Math.max(-perSecond, leftOf(key, now) - amount), now)
    },
    msInDebt: (key) => Math.max(0, (-leftOf(key, clock()) / perSecond) * 1000),
  }
}
