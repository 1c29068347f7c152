import { type Static, type TSchema, Type } from 'typebox'
import { OneOf, Timestamp } from '../envelope.ts'
import { withDefault } from '../operation.ts'

/** Where a page ends, as a question for the one behind it. */
export const Edge = Type.Object({
  affix: OneOf('append', 'prepend'),
  sentAt: Type.Optional(Timestamp),
  id: Type.String({ description: 'Digits.' }),
})

/** A page by place; without `next` it is the last. */
export function Window<T extends TSchema>(schema: T) {
  return Type.Object({
    data: Type.Array(schema),
    meta: Type.Object({
      current: Type.Object({ limit: Type.Integer(), count: Type.Integer() }),
      next: Type.Optional(Edge),
    }),
  })
}
export type Edge = Static<typeof Edge>

export function windowLimit(limit: number) {
  return withDefault(Type.Integer({ minimum: 1, maximum: 1000 }), limit)
}

/** Behind or before the row that `id` names. */
export const windowPlace = {
  affix: Type.Optional(OneOf('append', 'prepend')),
  id: Type.Optional(
    Type.String({
      pattern: '^[1-9]\\d{0,15}$',
      'x-objection': 'Use the id of a message, which has digits only',
    }),
  ),
}
