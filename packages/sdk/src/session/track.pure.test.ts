import { expect, test } from 'vitest'
import { changedFrame, messageFrame } from '../testing/fixture.ts'
import { type ChangedFrame, type MessageFrame, openTrack } from './track.ts'

// What the fixture makes are frames of these kinds.
const message = (seq: number) => messageFrame(seq) as MessageFrame
const changed = (seq: number, change: number) => changedFrame(seq, change, 'new') as ChangedFrame

test('an entry that comes again is passed over, and nothing is missing before it', () => {
  const track = openTrack({ seq: 3, change: 0 })
  expect(track.take(message(2))).toEqual([])
  expect(track.gap).toBeUndefined()
  expect(track.take(message(4))).toEqual([message(4)])
  expect(track.gap).toBeUndefined()
})

test('a change that waited for its entry is forgotten with the connection', () => {
  const track = openTrack({ seq: 1, change: 0 })
  expect(track.take(changed(2, 1))).toEqual([])
  track.forget()
  // The next connection brings the entry as it is by then.
  expect(track.take(message(2))).toEqual([message(2)])
})
