import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { root } from '../tree.ts'

/** What the worker asks of its browser. */
function startWorker() {
  const listeners = new Map<string, (event: unknown) => void>()
  const asked: unknown[] = []
  const self = {
    addEventListener: (name: string, listener: (event: unknown) => void) => {
      listeners.set(name, listener)
    },
    registration: {
      showNotification: async (...args: unknown[]) => asked.push(structuredClone(args)),
    },
    clients: { openWindow: async (url: string) => asked.push(url) },
  }
  const code = readFileSync(join(root, 'examples/push/service-worker.js'), 'utf8')
  runInNewContext(code, { self, encodeURIComponent })
  return { asked, happens: (name: string, event: object) => listeners.get(name)?.(event) }
}

test('the service worker shows a push, and opens its conversation after a click', () => {
  const { asked, happens } = startWorker()
  const waitUntil = () => undefined
  const push = { title: 'Ann', body: 'Tea?', tag: '4711', conversationId: 'ann_user_bob' }
  happens('push', { data: { json: () => push }, waitUntil })
  const options = { body: 'Tea?', tag: '4711', data: { conversationId: 'ann_user_bob' } }
  expect(asked).toEqual([['Ann', options]])
  const notification = { close: () => undefined, data: options.data }
  happens('notificationclick', { notification, waitUntil })
  expect(asked[1]).toBe('/?conversation=ann_user_bob')
})
