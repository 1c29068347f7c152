import { type TObject, type TOptional, type TSchema, Type } from 'typebox'

export type Fields = Readonly<Record<string, TSchema>>

type Part<T extends Fields> = TOptional<TObject<{ [K in keyof T]: TOptional<T[K]> }>>

/** What a PATCH may name of an object: any of its fields, or nothing of it. */
export function Part<T extends Fields>(fields: T): Part<T> {
  const optional = Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)])
  // The same names, each with its own schema made optional.
  return Type.Optional(Type.Object(Object.fromEntries(optional))) as Part<T>
}

/** An object of objects, in full. */
export function Wholes<T extends Readonly<Record<string, Fields>>>(groups: T) {
  const wholes = Object.entries(groups).map(([name, fields]) => [name, Type.Object({ ...fields })])
  // The same names, each with its own fields.
  return Object.fromEntries(wholes) as { [K in keyof T]: TObject<T[K]> }
}

/** An object of objects, any part of it. */
export function Parts<T extends Readonly<Record<string, Fields>>>(groups: T) {
  const parts = Object.entries(groups).map(([name, fields]) => [name, Part(fields)])
  // The same names, each with its own fields.
  return Object.fromEntries(parts) as { [K in keyof T]: Part<T[K]> }
}

function OneOfNumbers<const T extends readonly number[]>(description: string, ...values: T) {
  return Type.Unsafe<T[number]>({ type: 'integer', enum: [...values], description })
}

export const Messages = OneOfNumbers('1 none, 2 all, 3 only those that mention the user', 1, 2, 3)
export const Reactions = OneOfNumbers('1 none, 2 to own messages, 3 to all', 1, 2, 3)
export const Notify = OneOfNumbers('1 no, 2 yes', 1, 2)
export const Privacy = OneOfNumbers(
  '1 default templates, 2 privacy templates, 3 default templates unless the user chooses',
  1,
  2,
  3,
)

const HourAndMinute = Type.Integer({ minimum: 0, maximum: 2359, description: 'HHMM' })

const day = { from: HourAndMinute, to: HourAndMinute, dnd: Type.Boolean() }

/** When a user may be notified: per weekday from, to, and whether not at all. */
export const week = {
  monday: day,
  tuesday: day,
  wednesday: day,
  thursday: day,
  friday: day,
  saturday: day,
  sunday: day,
}

export const Success = Type.Object({ success: Type.Boolean() })
