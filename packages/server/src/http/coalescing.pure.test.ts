import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { setTimeout as after } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { coalesced } from './coalescing.ts'

/** Longer than requests wait for others. */
const pauseMs = 20

/** Paths of requests, in the order in which they were handled. */
function handler() {
  const handled: string[] = []
  const handle = coalesced((request) => handled.push(request.url ?? ''))
  const arrive = (url: string) => {
    const request = Object.assign(new IncomingMessage(new Socket()), { url })
    handle(request, new ServerResponse(request))
  }
  return { handled, arrive }
}

test('a request that comes alone is handled at once', async () => {
  const { arrive, handled } = handler()
  arrive('/a')
  expect(handled).toEqual(['/a'])
  await after(pauseMs)
  arrive('/b')
  expect(handled).toEqual(['/a', '/b'])
})

test('requests that come closely behind another one wait, and are handled in their order', async () => {
  const { arrive, handled } = handler()
  for (const url of ['/a', '/b', '/c']) arrive(url)
  expect(handled).toEqual(['/a'])
  await after(pauseMs)
  expect(handled).toEqual(['/a', '/b', '/c'])
})
