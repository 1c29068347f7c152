/** Milliseconds that each of two ways took, in turns: what disturbs one disturbs the other. */
export async function takingTurns(
  rounds: number,
  one: () => Promise<unknown>,
  two: () => Promise<unknown>,
): Promise<{ readonly one: number[]; readonly two: number[] }> {
  const times = { one: [] as number[], two: [] as number[] }
  const warmUp = Math.ceil(rounds / 10)
  for (let round = -warmUp; round < rounds; round++) {
    const order = round % 2 === 0 ? (['one', 'two'] as const) : (['two', 'one'] as const)
    for (const way of order) {
      const start = performance.now()
      await { one, two }[way]()
      if (round >= 0) times[way].push(performance.now() - start)
    }
  }
  return times
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
