import { expect, test } from 'vitest'
import type { Message } from '../contract.generated.ts'
import { messageOf } from '../testing/fixture.ts'
import { MessageWindow } from './message-window.ts'
import type { Page } from './paging.ts'

/** A window whose pages a test hands out. */
function openWindow() {
  const asked: { id: string | undefined; outcome: PromiseWithResolvers<Page<Message>> }[] = []
  const window = new MessageWindow({
    uid: () => 'ann',
    includes: ({ parentId }) => parentId === undefined,
    fetch(id) {
      const outcome = Promise.withResolvers<Page<Message>>()
      asked.push({ id, outcome })
      return outcome.promise
    },
  })
  async function answer(items: readonly Message[], next?: string): Promise<void> {
    asked.at(-1)?.outcome.resolve({ items, next })
    await expect.poll(() => window.live.getSnapshot().status).toBe('ready')
  }
  return { window, answer, texts: () => items().map(({ data }) => data.text), items }
  function items() {
    return window.live.getSnapshot().items
  }
}

const text = (seq: number, said: string) => messageOf(seq, { data: { text: said } })

test('what is heard while a page is under way is newer than the page', async () => {
  const { window, answer, texts } = openWindow()
  window.live.subscribe(() => undefined)
  window.hearMessage(messageOf(3))
  window.hearChange(text(2, 'edited'))
  window.hearChange(text(3, 'edited, too'))
  await answer([messageOf(1), messageOf(2)])
  expect(texts()).toEqual(['number 1', 'edited', 'edited, too'])
})

test('a change gives one message another object, and all others keep theirs', async () => {
  const { window, answer, items } = openWindow()
  window.live.subscribe(() => undefined)
  await answer([messageOf(1), messageOf(2), messageOf(3)], '1001')
  const before = window.live.getSnapshot()
  expect(window.live.getSnapshot()).toBe(before)
  window.hearChange(text(2, 'edited'))
  expect(items().map((one, n) => one === before.items[n])).toEqual([true, false, true])
  window.hearMessage(messageOf(4))
  void window.loadMore()
  await answer([messageOf(0)])
  expect(items().map(({ id }) => id)).toEqual(['1000', '1001', '1002', '1003', '1004'])
  expect(items()[1]).toBe(before.items[0])
})

test('after a reload the window is the newest page, and what has not changed is the same', async () => {
  const { window, answer, items } = openWindow()
  window.live.subscribe(() => undefined)
  await answer([messageOf(1), messageOf(2)])
  const [, second] = items()
  window.reload()
  await answer([messageOf(2), messageOf(3)], '1002')
  expect(items().map(({ id }) => id)).toEqual(['1002', '1003'])
  expect(items()[0]).toBe(second)
  expect(window.live.getSnapshot().hasMore).toBe(true)
})

test('a page that cannot be loaded says why, and is loaded with the next connection', async () => {
  let isDown = true
  const window = new MessageWindow({
    uid: () => 'ann',
    includes: () => true,
    async fetch() {
      if (isDown) throw new Error('no')
      return { items: [messageOf(1)], next: undefined }
    },
  })
  await expect(window.loadMore()).rejects.toThrow('no')
  expect(window.live.getSnapshot()).toMatchObject({ status: 'failed', error: { message: 'no' } })
  isDown = false
  window.retry()
  await expect.poll(() => window.live.getSnapshot().status).toBe('ready')
  expect(window.live.getSnapshot().items).toMatchObject([{ id: '1001' }])
  expect(window.live.getSnapshot().error).toBeUndefined()
})

test('listeners are called once for all that happens in a turn', async () => {
  const { window, answer } = openWindow()
  await Promise.all([window.loadMore(), answer([])])
  let calls = 0
  const stop = window.live.subscribe(() => calls++)
  for (let seq = 1; seq <= 100; seq++) window.hearMessage(messageOf(seq))
  await Promise.resolve()
  expect(calls).toBe(1)
  stop()
  window.hearMessage(messageOf(101))
  await Promise.resolve()
  expect(calls).toBe(1)
})
