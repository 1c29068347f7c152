/** The value below which this share of the values lies; 0.5 is the median. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, two) => one - two)
  const place = Math.min(sorted.length - 1, Math.floor(sorted.length * share))
  return sorted[place] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

export function rounded(value: number, digits = 2): number {
  return Number(value.toFixed(digits))
}

type Ways<K extends string> = Readonly<Record<K, (round: number) => Promise<unknown>>>

/**
 * Milliseconds of each way in each round. The ways take turns, and every other round begins at the
 * other end: whatever disturbs the machine disturbs all of them alike.
 */
export async function interleaved<K extends string>(
  rounds: number,
  ways: Ways<K>,
): Promise<Record<K, number[]>> {
  const there = Object.keys(ways) as K[]
  const back = there.toReversed()
  const times = Object.fromEntries(there.map((way) => [way, []])) as unknown as Record<K, number[]>
  const warmUp = Math.ceil(rounds / 10)
  for (let round = -warmUp; round < rounds; round++) {
    for (const way of round % 2 === 0 ? there : back) {
      const start = performance.now()
      await ways[way](round + warmUp)
      if (round >= 0) times[way].push(performance.now() - start)
    }
  }
  return times
}
