/** Dates and times as a locale writes them. */
export interface Format {
  /** Of Unix seconds. */
  time(at: number): string
  /** `Today`, or the date. */
  day(at: number): string
  /** The time where it is today, else the date, short. */
  short(at: number): string
  /** Date and time in full. */
  full(at: number): string
  size(bytes: number): string
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

export function formatFor(locale: string | undefined): Format {
  const times = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'full' })
  const dates = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
  const all = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  return {
    time: (at) => times.format(at * 1000),
    day(at) {
      const ago = dayNumber(at) - dayNumber(Date.now() / 1000)
      const text = ago === 0 || ago === -1 ? relative.format(ago, 'day') : days.format(at * 1000)
      return text.charAt(0).toLocaleUpperCase(locale) + text.slice(1)
    },
    short: (at) => (isSameDay(at, Date.now() / 1000) ? times : dates).format(at * 1000),
    full: (at) => all.format(at * 1000),
    size(bytes) {
      const step = Math.min(3, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
      const unit = units[step] ?? 'byte'
      const style = { style: 'unit', unit, maximumFractionDigits: step > 0 ? 1 : 0 } as const
      return new Intl.NumberFormat(locale, style).format(bytes / 1000 ** step)
    },
  }
}

/** Of local days. */
function dayNumber(at: number): number {
  const date = new Date(at * 1000)
  return Math.round(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000)
}

export function isSameDay(a: number, b: number): boolean {
  return dayNumber(a) === dayNumber(b)
}
