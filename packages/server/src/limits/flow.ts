/** So much a second for each key, and what was left over in the second before. */
export interface Flow {
  /** False: too much, and nothing is taken. More than a whole second's is taken from a full one only. */
  take(key: string, amount: number): boolean
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

  return {
    take(key, amount) {
      const now = clock()
      const level = levels.get(key) ?? { left: perSecond, at: now }
      const left = refilled(level, now)
      if (left < Math.min(amount, perSecond)) return false
      if (levels.size >= maxIdle && !levels.has(key)) forgetFull(now)
      // Below zero: a debt, which the next seconds pay.
      levels.set(key, { left: left - amount, at: now })
      return true
    },
  }
}
