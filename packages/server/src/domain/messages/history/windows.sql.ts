import { type RawBuilder, sql } from 'kysely'
import type { Place } from './windows.ts'

/** The rows of a window, the nearest to its place first. */
export function within(id: RawBuilder<unknown>, { affix, id: at, limit }: Place) {
  return affix === 'append'
    ? { is: sql`${id} > ${at}`, walk: sql`order by ${id} limit ${limit}` }
    : { is: sql`${id} < ${at}`, walk: sql`order by ${id} desc limit ${limit}` }
}
