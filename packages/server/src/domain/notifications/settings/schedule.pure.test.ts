import { describe, expect, test } from 'vitest'
import { defaultSettings } from './default-settings.ts'
import { isInSchedule } from './schedule.ts'

const week = defaultSettings.preferences.mute.schedulePreferenceSetting
const never = { from: 0, to: 2359, dnd: true }
const quiet = {
  monday: never,
  tuesday: never,
  wednesday: never,
  thursday: never,
  friday: never,
  saturday: never,
  sunday: never,
}
const at = (text: string) => Date.parse(text)

test('a week without limits is open', () => {
  expect(isInSchedule(week, 'EST', at('2026-03-02T03:04Z'))).toBe(true)
  expect(isInSchedule(quiet, 'EST', at('2026-03-02T03:04Z'))).toBe(false)
})

// 2026-03-02 is a Monday.
describe('a day', () => {
  const office = { ...quiet, monday: { from: 900, to: 1730, dnd: false } }

  test.each([
    ['2026-03-02T08:59:59Z', false],
    ['2026-03-02T09:00Z', true],
    ['2026-03-02T17:30:59Z', true],
    ['2026-03-02T17:31Z', false],
    ['2026-03-03T12:00Z', false],
  ])('reaches from its first minute to its last: %s is %s', (moment, open) => {
    expect(isInSchedule(office, 'GMT', at(moment))).toBe(open)
  })

  test('begins where the user is', () => {
    expect(isInSchedule(office, 'Asia/Kolkata', at('2026-03-02T03:30Z'))).toBe(true)
    expect(isInSchedule(office, 'Asia/Kolkata', at('2026-03-02T12:01Z'))).toBe(false)
    expect(isInSchedule(office, 'Pacific/Kiritimati', at('2026-03-01T19:00Z'))).toBe(true)
    expect(isInSchedule(office, 'EST', at('2026-03-02T13:59Z'))).toBe(false)
    expect(isInSchedule(office, 'EST', at('2026-03-02T14:00Z'))).toBe(true)
  })

  test.each([
    ['2026-03-02T21:59Z', false],
    ['2026-03-02T22:00Z', true],
    ['2026-03-02T23:59:59Z', true],
    ['2026-03-03T00:00Z', true],
    ['2026-03-03T06:00Z', true],
    ['2026-03-03T06:01Z', false],
    ['2026-03-02T05:00Z', false],
  ])('that ends before it begins goes on after midnight: %s is %s', (moment, open) => {
    const closed = { from: 1200, to: 1200, dnd: false }
    const night = { ...quiet, monday: { from: 2200, to: 600, dnd: false }, tuesday: closed }
    expect(isInSchedule(night, 'GMT', at(moment))).toBe(open)
  })

  test('without notifications ends the night before, and begins no night', () => {
    const late = { from: 2200, to: 600, dnd: false }
    const tuesday = { ...quiet, monday: late }
    expect(isInSchedule(tuesday, 'GMT', at('2026-03-03T01:00Z'))).toBe(false)
    const wednesday = { ...week, tuesday: { ...late, dnd: true }, wednesday: late }
    expect(isInSchedule(wednesday, 'GMT', at('2026-03-04T01:00Z'))).toBe(false)
  })
})

describe('when clocks change', () => {
  // In Vienna: forward on 2026-03-29 at 02:00, back on 2026-10-25 at 03:00, both Sundays.
  const vienna = 'Europe/Vienna'
  const morning = { ...quiet, sunday: { from: 200, to: 300, dnd: false } }

  test('an hour that is left out is not open, and one that comes twice is open twice', () => {
    expect(isInSchedule(morning, vienna, at('2026-03-29T00:59Z'))).toBe(false)
    expect(isInSchedule(morning, vienna, at('2026-03-29T01:00Z'))).toBe(true)
    expect(isInSchedule(morning, vienna, at('2026-03-29T01:01Z'))).toBe(false)
    expect(isInSchedule(morning, vienna, at('2026-10-25T00:00Z'))).toBe(true)
    expect(isInSchedule(morning, vienna, at('2026-10-25T01:59Z'))).toBe(true)
    expect(isInSchedule(morning, vienna, at('2026-10-25T02:01Z'))).toBe(false)
  })

  test('nine is nine, in summer and in winter', () => {
    const nine = { ...quiet, monday: { from: 900, to: 900, dnd: false } }
    expect(isInSchedule(nine, vienna, at('2026-01-05T08:00Z'))).toBe(true)
    expect(isInSchedule(nine, vienna, at('2026-07-06T07:00Z'))).toBe(true)
    expect(isInSchedule(nine, vienna, at('2026-07-06T08:00Z'))).toBe(false)
  })
})
