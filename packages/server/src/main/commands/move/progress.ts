/** Says on standard error, every few seconds, how far a step is, how fast, and how long it will take. */
export function progressLine(everyMs = 5000) {
  let step = ''
  let startedAt = 0
  let startShare = 0
  let startCount = 0
  let saidAt = 0
  return (name: string, count: number, share = 0): void => {
    const now = Date.now()
    if (name !== step) {
      step = name
      startedAt = now
      startShare = share
      startCount = count
      saidAt = now - everyMs
    }
    if (now - saidAt < everyMs) return
    saidAt = now
    const done = share - startShare
    const elapsed = now - startedAt
    const left = done > 0 ? (elapsed * (1 - share)) / done : undefined
    const rate = elapsed > 0 ? `, ${Math.round(((count - startCount) * 1000) / elapsed)}/s` : ''
    console.error(`${name}: ${count}${rate}${left === undefined ? '' : `, ${spanOf(left)} left`}`)
  }
}

function spanOf(ms: number): string {
  const minutes = Math.ceil(ms / 60_000)
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}
