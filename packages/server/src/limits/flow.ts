/** So much a second for each key, and what was left over before, up to a limit. */
export interface Flow {
  /** False: too much, and nothing is taken. More than can be left over is taken when all of that is there. */
  take(key: string, amount: number): boolean
  /** Takes it in any case. What is not there is owed, up to as much as can be left over. */
  spend(key: string, amount: number): void
  /** Until nothing is owed any more. */
  msInDebt(key: string): number
}

interface Level {
  left: number
  at: number
}

export interface FlowOptions {
  readonly perSecond: number
  /** That can be left over, or owed; what a second brings where it is not said. */
  readonly most?: number
  readonly clock?: () => number
}

const maxIdle = 10_000

export function openFlow({
  perSecond,
  most = perSecond,
  clock = () => performance.now(),
}: FlowOptions): Flow {
  const levels = new Map<string, Level>()

  const refilled = ({ left, at }: Level, now: number): number =>
    Math.min(most, left + ((now - at) / 1000) * perSecond)

  /** A key to which nothing can be added is as good as a new one. */
  const forgetFull = (now: number) => {
    for (const [key, level] of levels) {
      if (refilled(level, now) >= most) levels.delete(key)
    }
  }

  const leftOf = (key: string, now: number): number => {
    const level = levels.get(key)
    return level ? refilled(level, now) : most
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
      if (left < Math.min(amount, most)) return false
      set(key, left - amount, now)
      return true
    },
    spend(key, amount) {
      const now = clock()
      set(key, Math.max(-most, leftOf(key, now) - amount), now)
    },
    msInDebt: (key) => Math.max(0, (-leftOf(key, clock()) / perSecond) * 1000),
  }
}
