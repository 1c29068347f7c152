import { type Static, type TSchema, Type } from 'typebox'
import { withDefault } from './operation.ts'

/** Unix seconds. */
export const Timestamp = Type.Integer({ minimum: 0 })

/** Unix seconds that a caller says. */
export const UnixTime = Type.Integer({ minimum: 0, maximum: 9_999_999_999 })

/** Unix milliseconds that a caller says; where both are known, seconds have fewer digits. */
export const UnixMillis = Type.Integer({ minimum: 0, maximum: 9_999_999_999_999 })

/** Free-form JSON of the client, limited in size rather than in shape. */
export const Metadata = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  'x-maxBytes': 5120,
})

const Tag = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '\\S',
  'x-objection': 'Use at least one character that can be seen',
})
export const Tags = Type.Array(Tag, { maxItems: 25 })

/** A link that clients show and open: no other scheme, so none that runs a script or reads a file. */
export const Url = Type.String({
  maxLength: 3000,
  format: 'uri',
  pattern: '^[Hh][Tt][Tt][Pp][Ss]?://',
  'x-objection': 'Use a link that begins with http:// or https://',
})

const formOfIds = {
  minLength: 1,
  maxLength: 100,
  pattern: '^[A-Za-z0-9_-]+$',
  'x-objection': 'Use letters, digits, - and _; an e-mail address is not an id',
}

/** Given by the client, kept in lower case. */
export function Identifier(what: string) {
  return Type.String({ ...formOfIds, 'x-lowercase': true, description: what })
}

/** One that is answered as it was written. */
export function IdentifierAsSent(what: string) {
  return Type.String({ ...formOfIds, description: what })
}

/** A number that the service has given, as text. */
export const NumberedId = Type.String({
  pattern: '^[0-9]{1,15}$',
  'x-objection': 'Use the id as the service gave it, in digits',
})

export function OneOf<const T extends readonly string[]>(...values: T) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values] })
}

export const Outcome = Type.Object({ success: Type.Boolean(), message: Type.String() })
export type Outcome = Static<typeof Outcome>

/** A result per id inside a 200: a failure carries the error that the id alone would have met. */
export const ItemOutcome = Type.Object({
  success: Type.Boolean(),
  message: Type.Optional(Type.String()),
  error: Type.Optional(
    Type.Object({ code: Type.String(), message: Type.String(), devMessage: Type.String() }),
  ),
})
export type ItemOutcome = Static<typeof ItemOutcome>

export function Data<T extends TSchema>(schema: T) {
  return Type.Object({ data: schema })
}

export const Pagination = Type.Object({
  total: Type.Integer({
    description:
      'Rows in all; where these were not counted, as many as are known, and one more behind a full page.',
  }),
  count: Type.Integer({ description: 'Rows in this page.' }),
  per_page: withDefault(Type.Integer(), 100),
  current_page: Type.Integer(),
  total_pages: Type.Integer(),
})

const Cursor = Type.Object({
  updatedAt: Type.Optional(Timestamp),
  affix: OneOf('append', 'prepend'),
  next: Type.Optional(
    Type.String({ description: 'Pass it as `cursor` for the page after this one.' }),
  ),
})

/** A page by number. */
export function Page<T extends TSchema>(schema: T) {
  return Type.Object({ data: Type.Array(schema), meta: Type.Object({ pagination: Pagination }) })
}

/** A page by number with a cursor beside it, for lists without a small bound. */
export function CursorPage<T extends TSchema>(schema: T) {
  return Type.Object({
    data: Type.Array(schema),
    meta: Type.Object({ pagination: Pagination, cursor: Cursor }),
  })
}
export type PageMeta = Static<typeof Pagination>
export type CursorMeta = Static<typeof Cursor>

export const pageQuery = {
  perPage: withDefault(Type.Integer({ minimum: 1, maximum: 1000 }), 100),
  page: withDefault(Type.Integer({ minimum: 1, maximum: 100_000 }), 1),
}

export const cursorQuery = {
  ...pageQuery,
  cursor: Type.Optional(Type.String({ maxLength: 500, description: '`meta.cursor.next`' })),
}

/** A page of a list that is never long. */
export function Limited<T extends TSchema>(schema: T) {
  return Type.Object({
    data: Type.Array(schema),
    meta: Type.Object({
      current: Type.Object({ limit: Type.Integer(), count: Type.Integer() }),
    }),
  })
}

export function limitQuery(limit: number) {
  return {
    limit: withDefault(Type.Integer({ minimum: 1, maximum: 100 }), limit),
    page: pageQuery.page,
  }
}

export const searchKey = Type.Optional(Type.String({ minLength: 1, maxLength: 100 }))
