import { type RawBuilder, sql } from 'kysely'
import type { ConversationKey } from '../entries/entries.ts'

export interface ParticipantKey extends ConversationKey {
  readonly uid: string
}

/** Several participants as a table `r`; `nth` is the place in the list, from 1. */
export function keysTable(readers: readonly ParticipantKey[]): RawBuilder<unknown> {
  return sql`unnest(${readers.map(({ bucket }) => bucket)}::smallint[],
      ${readers.map(({ key }) => key)}::bigint[], ${readers.map(({ uid }) => uid)}::text[])
    with ordinality as r(bucket, key, uid, nth)`
}
