import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

/** So long a request waits for others, where another has come just before it. */
const windowMs = 2

interface Waiting {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/**
 * Requests that come closely one after the other are handled together: code and data that the first has
 * brought into the caches of the processor serve the others, and their statements share batches. A request
 * that comes alone waits for nothing.
 */
export function coalesced(handle: RequestListener): RequestListener {
  let waiting: Waiting[] = []
  let isOpen = false

  function open(): void {
    isOpen = true
    setTimeout(handleWaiting, windowMs)
  }

  function handleWaiting(): void {
    const all = waiting
    waiting = []
    isOpen = false
    if (all.length > 0) open()
    for (const { request, response } of all) handle(request, response)
  }

  return (request, response) => {
    if (isOpen) {
      waiting.push({ request, response })
      return
    }
    open()
    handle(request, response)
  }
}
