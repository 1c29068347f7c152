import { queryClient } from './query-client.ts'

/** Calls keep a session alive: after so long without a key or a movement, pages stop to ask. */
const awayAfterMs = 5 * 60_000

let lastInput = Date.now()

function isAway(): boolean {
  return Date.now() - lastInput > awayAfterMs
}

export function isSomebodyThere(): boolean {
  return !isAway() && document.visibilityState === 'visible'
}

for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'focus']) {
  window.addEventListener(
    event,
    () => {
      const wasAway = isAway()
      lastInput = Date.now()
      if (wasAway) void queryClient.invalidateQueries()
    },
    { passive: true, capture: true },
  )
}

/** For `refetchInterval`: every so many milliseconds while somebody is there. */
export function whileThere(everyMs: number): () => number | false {
  return () => (isAway() ? false : everyMs)
}
