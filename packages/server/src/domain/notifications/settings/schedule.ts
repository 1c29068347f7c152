import type { NotificationSettings } from '@chorale/contract/notifications'

type Week = NotificationSettings['preferences']['mute']['schedulePreferenceSetting']
type Day = Week[keyof Week]

/** Each day with the one before it. */
const dayBefore: Readonly<Record<keyof Week, keyof Week>> = {
  monday: 'sunday',
  tuesday: 'monday',
  wednesday: 'tuesday',
  thursday: 'wednesday',
  friday: 'thursday',
  saturday: 'friday',
  sunday: 'saturday',
}

/**
 * Whether a user may be notified now. A day reaches from its first minute to its last, both
 * included; one that ends before it begins goes on after midnight, into the next day.
 */
export function isInSchedule(week: Week, timezone: string, nowMs: number): boolean {
  if (Object.values(week).every(isWhole)) return true
  const { day, time } = localTime(timezone, nowMs)
  const today = week[day]
  const yesterday = week[dayBefore[day]]
  if (today.dnd) return false
  const begun = time >= today.from && (time <= today.to || isOverMidnight(today))
  return begun || (isOverMidnight(yesterday) && !yesterday.dnd && time <= yesterday.to)
}

function isWhole({ from, to, dnd }: Day): boolean {
  return from === 0 && to === 2359 && !dnd
}

function isOverMidnight({ from, to }: Day): boolean {
  return to < from
}

// Making one takes longer than all the rest. There are some 600 zones, and few are in use.
const clocks = new Map<string, Intl.DateTimeFormat>()

/** Which day it is there, and the time as HHMM. */
function localTime(timezone: string, nowMs: number): { day: keyof Week; time: number } {
  const parts = new Map(
    clockOf(timezone)
      .formatToParts(nowMs)
      .map(({ type, value }) => [type, value]),
  )
  return {
    // In English, as the clock was asked to speak.
    day: String(parts.get('weekday')).toLowerCase() as keyof Week,
    time: Number(parts.get('hour')) * 100 + Number(parts.get('minute')),
  }
}

function clockOf(timezone: string): Intl.DateTimeFormat {
  const known = clocks.get(timezone)
  if (known) return known
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    weekday: 'long',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  // Spellings differ in case too, so the number of names is not that of the zones.
  if (clocks.size >= 1000) clocks.clear()
  clocks.set(timezone, clock)
  return clock
}
