import { allNames, type Name } from '../names/names.ts'
import { usesIn } from './uses.ts'

interface Row {
  readonly name: string
  readonly status: Name['status'] | 'unknown'
  readonly note: string
  /** `src/chat.ts:12`, in the order of the files. */
  readonly places: readonly string[]
}

const order: readonly Row['status'][] = ['missing', 'unknown', 'differs', 'works']

/** What these files use, what matters most first. */
export function rowsOf(files: ReadonlyMap<string, string>): Row[] {
  const known = new Map(allNames().map((one) => [one.name, one]))
  const places = new Map<string, string[]>()
  for (const [path, source] of files) {
    for (const { name, line } of usesIn(source)) {
      places.set(name, [...(places.get(name) ?? []), `${path}:${line}`])
    }
  }
  const rows = [...places].map(([name, found]): Row => {
    const { status = 'unknown', note = '' } = known.get(name) ?? {}
    return { name: `CometChat.${name}`, status, note, places: [...new Set(found)] }
  })
  return rows.toSorted(
    (a, b) => order.indexOf(a.status) - order.indexOf(b.status) || (a.name < b.name ? -1 : 1),
  )
}

export function reportOf(rows: readonly Row[]): string {
  const width = Math.max(0, ...rows.map(({ name }) => name.length))
  const lines = rows.map(({ name, status, note, places: [first = '', ...others] }) => {
    const more = others.length > 0 ? ` and ${others.length} more` : ''
    const place = `${first}${more}${note && `; ${note}`}`
    return `${status.padEnd(7)}  ${name.padEnd(width)}  ${place}`
  })
  const count = (status: Row['status']) => rows.filter((row) => row.status === status).length
  const counts = order.map((status) => `${count(status)} ${status}`).join(', ')
  return [...lines, `${rows.length} names: ${counts}.`].join('\n')
}
