import type { Pace } from './paced.ts'
import { sendPaced } from './paced-sends.ts'
import { sendRequest, type Target } from './sends.ts'

// Started by `pacedSends`.

process.once('message', async ({ target, pace }: { target: Target; pace: Pace }) => {
  process.send?.(await sendPaced(target.origin, () => sendRequest(target), pace))
  process.disconnect?.()
})
