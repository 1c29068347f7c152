import { describe, expect, test } from 'vitest'
import { type Acknowledged, faultsIn, type Logged } from './verdict.ts'

const log: readonly Logged[] = [
  { seq: 1, id: 64, sender: 'app_system', category: 'action', muid: null },
  { seq: 2, id: 128, sender: 'ann', category: 'message', muid: 'a' },
  { seq: 3, id: 256, sender: 'bob', category: 'message', muid: 'a' },
  { seq: 4, id: 320, sender: 'ann', category: 'message', muid: 'b' },
]
const another = { seq: 5, id: 384, sender: 'ann', category: 'message', muid: 'a' }
const acknowledged: readonly Acknowledged[] = [
  { conversation: 'c', sender: 'ann', muid: 'a', ids: [128, 128] },
  { conversation: 'c', sender: 'bob', muid: 'a', ids: [256] },
  { conversation: 'c', sender: 'ann', muid: 'b', ids: [320, 320, 320] },
]

const faults = (stored: readonly Logged[], told = acknowledged) =>
  faultsIn(told, new Map([['c', stored]]), [])

/** The same entries, in places of their own. */
const renumbered = (entries: readonly Logged[]) =>
  entries.map((entry, place) => ({ ...entry, seq: place + 1 }))

/** The answers, one of them changed. */
const told = (at: number, ids: readonly number[]) =>
  acknowledged.map((one, place) => (place === at ? { ...one, ids } : one))

describe('the verdict on what was sent', () => {
  test('finds nothing where nothing is wrong', () => {
    expect(faults(log)).toEqual([])
  })

  test('misses a message, whether or not its place is closed up', () => {
    const without = log.toSpliced(2, 1)
    expect(faults(without)).toEqual([
      'c: seq 4 is at place 3',
      'c bob a: answered 256, stored as none',
    ])
    expect(faults(renumbered(without))).toEqual(['c bob a: answered 256, stored as none'])
    expect(faultsIn(acknowledged, new Map(), [])).toHaveLength(3)
  })

  test('sees one that is there twice', () => {
    const twice = [...log, another]
    expect(faults(twice)).toEqual(['c ann a: answered 128, stored as 128, 384'])
    expect(faults(twice, told(0, [128, 384]))).toEqual([
      'c ann a: answered 128, 384, stored as 128, 384',
    ])
  })

  test('sees one that nobody was told of', () => {
    expect(faults(log, acknowledged.slice(1))).toEqual(['c ann a: nobody knows'])
    const nameless = { ...another, muid: null }
    expect(faults([...log, nameless])).toEqual(['c ann without muid: nobody knows'])
  })

  test('sees a retry that was answered with another id', () => {
    expect(faults(log, told(2, [320, 448]))).toEqual(['c ann b: answered 320, 448, stored as 320'])
  })

  test('sees two that changed places, and two ids that did', () => {
    const [first, ann, bob, last] = log
    const swapped = [first, bob, ann, last].flatMap((entry) => entry ?? [])
    expect(faults(swapped)).toEqual([
      'c: seq 3 is at place 2',
      'c: seq 2 is at place 3',
      'c: id 128 does not grow',
    ])
    expect(faults(renumbered(swapped))).toEqual(['c: id 128 does not grow'])
  })

  test('sees one that overtook an earlier one of its sender', () => {
    expect(faults(log, acknowledged.toReversed())).toEqual(['c ann a: 128 was sent after 320'])
  })
  test('sees a reader to whom the log is shown otherwise', () => {
    const readBy = (ids: number[]) =>
      faultsIn(acknowledged, new Map([['c', log]]), [{ conversation: 'c', reader: 'bob', ids }])
    expect(readBy([64, 128, 256, 320])).toEqual([])
    expect(readBy([64, 256, 128, 320])).toEqual(['c: of what bob saw, 1 out of order'])
    expect(readBy([64, 128, 320])).toEqual(['c: of what bob saw, 1 missed'])
    expect(readBy([64, 128, 256, 256, 320])).toEqual(['c: of what bob saw, 1 twice'])
    expect(readBy([64, 128, 256, 300, 320])).toEqual(['c: of what bob saw, 1 unknown'])
  })
})
