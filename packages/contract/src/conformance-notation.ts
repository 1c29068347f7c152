/** The notation of the facts: compact JSON in, a tree of expectations out. */

/** A type (`string {a|b} = a`), a named shape (`@user`), a list of one shape, or an object. */
export type Shape = string | readonly Shape[] | { readonly [key: string]: Shape }
export type Shapes = Readonly<Record<string, Shape>>

type Value = string | number | boolean

export interface Expected {
  readonly types: readonly string[]
  readonly values?: readonly Value[]
  readonly byDefault?: Value
  readonly minimum?: number
  readonly maximum?: number
  readonly fields: ReadonlyMap<string, ExpectedField>
  /** The value under a variable key. */
  readonly entries?: Expected
  readonly items?: Expected
}

export interface ExpectedField {
  readonly shape: Expected
  /** Undefined where alternatives disagree. */
  readonly required: boolean | undefined
}

export function expectedShape(shape: Shape, shapes: Shapes): Expected {
  if (typeof shape === 'string') {
    return shape.startsWith('@') ? expectedShape(named(shape, shapes), shapes) : parseType(shape)
  }
  if (isList(shape)) {
    const [element, ...more] = shape
    if (element === undefined || more.length > 0) throw new Error('A list holds one shape.')
    return { types: ['array'], fields: new Map(), items: expectedShape(element, shapes) }
  }
  const { oneOf } = shape
  if (oneOf !== undefined && isList(oneOf)) {
    return oneOf.map((alternative) => expectedShape(alternative, shapes)).reduce(merge)
  }
  return expectedObject(shape, shapes)
}

function isList(shape: Shape): shape is readonly Shape[] {
  return Array.isArray(shape)
}

function named(reference: string, shapes: Shapes): Shape {
  const shape = shapes[reference.slice(1)]
  if (shape === undefined) throw new Error(`No shape is called ${reference}.`)
  return shape
}

function expectedObject(shape: Readonly<Record<string, Shape>>, shapes: Shapes): Expected {
  const fields = new Map<string, ExpectedField>()
  let entries: Expected | undefined
  for (const [key, value] of Object.entries(shape)) {
    const expected = expectedShape(value, shapes)
    if (key === '...') {
      for (const [name, field] of expected.fields) fields.set(name, field)
    } else if (key.includes('<')) {
      entries = expected
    } else {
      fields.set(key.replace(/[!?]$/, ''), { shape: expected, required: key.endsWith('!') })
    }
  }
  return { types: ['object'], fields, ...(entries && { entries }) }
}

/** Types, then in this order and each optional: values, default, minimum, maximum, remark. */
const notation =
  /^(?<types>[a-z[\]]+(?: \| [a-z[\]]+)*)(?: \{(?<values>[^}]+)\})?(?: = (?<byDefault>[^ ]+))?(?: >= (?<minimum>\d+))?(?: <= (?<maximum>\d+))?(?: \(.+\))?$/

const known = new Set(['string', 'integer', 'number', 'boolean', 'object', 'array', 'null', 'any'])

function parseType(text: string): Expected {
  const parts = notation.exec(text)?.groups
  const written = parts?.types?.split(' | ') ?? []
  const list = written.find((type) => type.endsWith('[]'))
  const types = written.map((type) => (type.endsWith('[]') ? 'array' : type))
  if (!parts || !types.every((type) => known.has(type))) throw new Error(`Not a type: ${text}`)
  const value = (word: string): Value => {
    if (types.includes('boolean')) return word === 'true'
    return types.includes('integer') || types.includes('number') ? Number(word) : word
  }
  const { values, byDefault, minimum, maximum } = parts
  return {
    types,
    fields: new Map(),
    ...(values !== undefined && { values: values.split('|').map(value) }),
    ...(byDefault !== undefined && { byDefault: value(byDefault) }),
    ...(minimum !== undefined && { minimum: Number(minimum) }),
    ...(maximum !== undefined && { maximum: Number(maximum) }),
    ...(list !== undefined && { items: parseType(list.slice(0, -2)) }),
  }
}

/** Two alternatives as one: every field of either, and only the demands both share. */
function merge(one: Expected, other: Expected): Expected {
  const fields = new Map<string, ExpectedField>()
  for (const name of new Set([...one.fields.keys(), ...other.fields.keys()])) {
    const [left, right] = [one.fields.get(name), other.fields.get(name)]
    const shape = either(left?.shape, right?.shape)
    if (!shape) continue
    const isOptional = !left?.required && !right?.required
    const required = left?.required && right?.required ? true : isOptional ? false : undefined
    fields.set(name, { shape, required })
  }
  const values = one.values && other.values && [...new Set([...one.values, ...other.values])]
  const byDefault = one.byDefault ?? other.byDefault
  const entries = either(one.entries, other.entries)
  const items = either(one.items, other.items)
  return {
    types: [...new Set([...one.types, ...other.types])],
    fields,
    ...(values && { values }),
    ...(byDefault !== undefined && { byDefault }),
    ...(entries && { entries }),
    ...(items && { items }),
  }
}

function either(one: Expected | undefined, other: Expected | undefined): Expected | undefined {
  return one && other ? merge(one, other) : (one ?? other)
}
