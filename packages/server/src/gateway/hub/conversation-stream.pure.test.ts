import type { Position } from '@chorale/contract/frames'
import { afterEach, expect, test } from 'vitest'
import type { SerialisedEntry } from '../../realtime/ports.ts'
import { ConversationStream } from './conversation-stream.ts'

const followed = {
  appId: 'app',
  bucket: 1,
  key: 1,
  label: 'group_tea',
  receiver: { kind: 'group', guid: 'tea' },
} as const
const wait = { timeout: 10_000, interval: 5 }
const open: ConversationStream[] = []
afterEach(() => {
  for (const one of open.splice(0)) one.end()
})

const shown = (at: Position, text: string): SerialisedEntry => ({
  ...at,
  departs: undefined,
  arrives: undefined,
  texts: [JSON.stringify({ text })],
})

/** A stream of this log that stands at the first entry, and what its listener has heard. */
function following(log: { changed: SerialisedEntry[]; entries: SerialisedEntry[] }) {
  let heard = ''
  let reads = 0
  const stream = new ConversationStream(followed, {
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
  open.push(stream)
  const listener = {
    uid: 'ann',
    write(frames: Buffer) {
      heard += frames.toString()
    },
    unfollow: () => undefined,
  }
  stream.channel.wait(listener)
  const start = { seq: 1, change: 0 }
  stream.begin(start)
  stream.channel.admit(listener, start)
  return {
    stream,
    get reads() {
      return reads
    },
    texts: () => [...heard.matchAll(/"text":"(.*?)"/g)].map(([, text]) => text),
  }
}

test('a comparison that finds a later change reads it, and one that finds nothing reads nothing', async () => {
  const edited = shown({ seq: 1, change: 1 }, 'edited')
  const fixture = following({ changed: [edited], entries: [] })
  fixture.stream.compare({ seq: 1, change: 0 })
  expect(fixture.reads).toBe(0)
  fixture.stream.compare({ seq: 1, change: 1 })
  await expect.poll(fixture.texts, wait).toEqual(['edited'])
  fixture.stream.compare({ seq: 1, change: 1 })
  expect(fixture.reads).toBe(1)
})

test('a hole that does not close by itself is read, without a comparison', async () => {
  const entries = [shown({ seq: 2, change: 0 }, 'lost'), shown({ seq: 3, change: 0 }, 'heard')]
  const fixture = following({ changed: [], entries })
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
  fixture.stream.hear({ is: 'entries', entries: [entry] })
  await expect.poll(fixture.texts, wait).toEqual(['lost', 'heard'])
})
