import type { Position } from '@chorale/contract/frames'
import { afterEach, expect, test } from 'vitest'
import type { SerialisedEntry } from '../../realtime/ports.ts'
import { Follower } from './follower.ts'

const followed = {
  appId: 'app',
  bucket: 1,
  key: 1,
  label: 'group_tea',
  receiver: { kind: 'group', guid: 'tea' },
} as const
const wait = { timeout: 10_000, interval: 5 }
const open: Follower[] = []
afterEach(() => {
  for (const one of open.splice(0)) one.end()
})

const shown = (at: Position, text: string): SerialisedEntry => ({
  ...at,
  departs: undefined,
  arrives: undefined,
  texts: [JSON.stringify({ text })],
})

/** A follower of this log that stands at the first entry, and what its listener has heard. */
function following(log: { changed: SerialisedEntry[]; entries: SerialisedEntry[] }) {
  let heard = ''
  let reads = 0
  const follower = new Follower(followed, {
    feed: {
      async missed(_, since) {
        reads++
        return {
          changed: log.changed.filter(({ change }) => change > since.change),
          entries: log.entries.filter(({ seq }) => seq > since.seq),
        }
      },
      fresh: async (_, entries) => entries.map(({ seq }) => shown({ seq, change: 0 }, `${seq}`)),
      entryId: async () => undefined,
    },
    coalesceMs: 0,
    holeMs: 1,
    retryMs: 1,
    typingLimit: 10,
    receiptsLimit: 10,
    mayPass: () => true,
    onRepair: () => undefined,
    onLeft: () => undefined,
    onError: (error) => {
      throw error
    },
  })
  open.push(follower)
  const listener = {
    uid: 'ann',
    write(frames: Buffer) {
      heard += frames.toString()
    },
    unfollow: () => undefined,
  }
  follower.channel.wait(listener)
  const start = { seq: 1, change: 0 }
  follower.begin(start)
  follower.channel.admit(listener, start)
  return {
    follower,
    get reads() {
      return reads
    },
    texts: () => [...heard.matchAll(/"text":"(.*?)"/g)].map(([, text]) => text),
  }
}

test('a comparison that finds a later change reads it, and one that finds nothing reads nothing', async () => {
  const edited = shown({ seq: 1, change: 1 }, 'edited')
  const stage = following({ changed: [edited], entries: [] })
  stage.follower.compare({ seq: 1, change: 0 })
  expect(stage.reads).toBe(0)
  stage.follower.compare({ seq: 1, change: 1 })
  await expect.poll(stage.texts, wait).toEqual(['edited'])
  stage.follower.compare({ seq: 1, change: 1 })
  expect(stage.reads).toBe(1)
})

test('a hole that does not close by itself is read, without a comparison', async () => {
  const entries = [shown({ seq: 2, change: 0 }, 'lost'), shown({ seq: 3, change: 0 }, 'heard')]
  const stage = following({ changed: [], entries })
  const entry = {
    ...followed,
    seq: 3,
    id: 3,
    at: 1,
    sender: 'bob',
    data: '{}',
    category: 'message',
    type: 'text',
  }
  stage.follower.hear({ is: 'entries', entries: [entry] })
  await expect.poll(stage.texts, wait).toEqual(['lost', 'heard'])
})
