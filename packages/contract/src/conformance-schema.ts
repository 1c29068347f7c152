/** Reads JSON Schema as a client meets it: references followed, unions laid out as branches. */

export type Schema = Readonly<Record<string, unknown>>

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export type SchemaReader = ReturnType<typeof schemaReader>

export function schemaReader(document: object) {
  /** A value without its reference, which is a path into the document or a component's name. */
  function resolve(value: unknown, depth = 0): Schema {
    if (!isSchema(value)) return {}
    const { $ref } = value
    if (typeof $ref !== 'string') return value
    if (depth > 20) throw new Error(`${$ref} leads in a cycle.`)
    const path = $ref.startsWith('#/') ? $ref.slice(2).split('/') : ['components', 'schemas', $ref]
    let target: unknown = document
    for (const part of path) {
      target = isSchema(target)
        ? target[part.replaceAll('~1', '/').replaceAll('~0', '~')]
        : undefined
    }
    if (!isSchema(target)) throw new Error(`${$ref} leads nowhere.`)
    return resolve(target, depth + 1)
  }

  function child(value: unknown, key: string): unknown {
    const found = resolve(value)[key]
    return isSchema(found) ? resolve(found) : found
  }

  /** The schema as alternatives, each without `$ref`, `allOf`, `anyOf` and `oneOf`. */
  function branches(schema: Schema): Schema[] {
    const { allOf, anyOf, oneOf, ...own } = resolve(schema)
    const unions = [anyOf, oneOf].filter((union) => Array.isArray(union))
    const parts = [
      ...list(allOf).map((part) => branches(part)),
      ...unions.map((union) => list(union).flatMap((part) => branches(part))),
    ]
    return parts.reduce<Schema[]>(
      (all, part) => all.flatMap((left) => part.map((right) => both(left, right))),
      [own],
    )
  }

  /** What the branches say of this property by name. */
  function named(objects: readonly Schema[], name: string): Schema[] {
    return objects.flatMap((branch) => {
      const property = isSchema(branch.properties) ? branch.properties[name] : undefined
      return isSchema(property) ? [property] : []
    })
  }

  return { resolve, child, branches, named, unnamed, typesOf, valuesOf, requiredIn }
}

/** What the branches say of properties they do not name. */
function unnamed(objects: readonly Schema[]): Schema[] {
  return objects.flatMap((branch) => {
    const patterns = isSchema(branch.patternProperties)
      ? Object.values(branch.patternProperties)
      : []
    return [...patterns, branch.additionalProperties].filter(isSchema)
  })
}

function typesOf(branch: Schema): string[] {
  const { type } = branch
  if (typeof type === 'string') return [type]
  if (Array.isArray(type)) return type.map(String)
  const values = valuesOf(branch)
  if (values) return [...new Set(values.map(typeOfValue))]
  if (branch.properties ?? branch.patternProperties) return ['object']
  return branch.items ? ['array'] : []
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return Array.isArray(value) ? 'array' : typeof value
}

/** The values a branch is limited to; undefined where it is not. */
function valuesOf(branch: Schema): readonly unknown[] | undefined {
  if ('const' in branch) return [branch.const]
  return Array.isArray(branch.enum) ? branch.enum : undefined
}

/** The names every branch requires. */
function requiredIn(objects: readonly Schema[]): Set<string> {
  const lists = objects.map((branch) => (Array.isArray(branch.required) ? branch.required : []))
  const [first = [], ...rest] = lists
  return new Set(first.filter((name) => rest.every((names) => names.includes(name))).map(String))
}

function list(value: unknown): Schema[] {
  return Array.isArray(value) ? value.filter(isSchema) : []
}

/** Two schemas that hold at once. */
function both(left: Schema, right: Schema): Schema {
  const merged: Record<string, unknown> = { ...left, ...right }
  for (const key of ['properties', 'patternProperties']) {
    const [one, other] = [left[key], right[key]]
    if (isSchema(one) && isSchema(other)) merged[key] = { ...one, ...other }
  }
  const required = [left.required, right.required].filter(Array.isArray).flat()
  if (required.length > 0) merged.required = required
  return merged
}
