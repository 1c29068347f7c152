export interface Schema {
  readonly const?: unknown
  readonly default?: unknown
  readonly description?: string
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly type?: string | readonly string[]
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
}

/** JSON Schema as TypeScript; a schema with a name is written by its name. */
export function typePrinter(named: Readonly<Record<string, object>>, array: '' | 'readonly ' = '') {
  const names = new Map(Object.entries(named).map(([name, one]) => [JSON.stringify(one), name]))

  const type = (schema: Schema): string => names.get(JSON.stringify(schema)) ?? inFull(schema)

  function inFull(schema: Schema): string {
    if ('const' in schema) return JSON.stringify(schema.const)
    if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
    if (schema.anyOf) return schema.anyOf.map(type).join(' | ')
    if (schema.allOf) return schema.allOf.map(type).join(' & ')
    const types = [schema.type ?? []].flat()
    return types.length === 0 ? 'unknown' : types.map((one) => ofType(one, schema)).join(' | ')
  }

  function ofType(name: string, schema: Schema): string {
    if (name === 'integer' || name === 'number') return 'number'
    if (name === 'array') return `${array}${listOf(schema.items ? type(schema.items) : 'unknown')}`
    if (name !== 'object') return name
    if (schema.properties) return fields(schema, schema.required ?? [], type)
    const [values] = Object.values(schema.patternProperties ?? {})
    const rest = values ?? schema.additionalProperties
    return `Record<string, ${typeof rest === 'object' ? type(rest) : 'unknown'}>`
  }

  function fields(
    { properties = {} }: Schema,
    required: readonly string[],
    typeOf: (property: Schema) => string,
  ): string {
    const lines = Object.entries(properties).map(([name, property]) => {
      const comment = property.description ? `/** ${property.description} */ ` : ''
      const key = /^\w+$/.test(name) ? name : JSON.stringify(name)
      return `${comment}${key}${required.includes(name) ? '' : '?'}: ${typeOf(property)}`
    })
    return lines.length > 0 ? `{ ${lines.join('; ')} }` : 'Record<never, never>'
  }

  /** A property with a default is always there for the handler, and never asked of the caller. */
  function requiredOfCaller({ required = [], properties = {} }: Schema): string[] {
    return required.filter((name) => !('default' in (properties[name] ?? {})))
  }

  return {
    type,
    inFull,
    requiredOfCaller,
    /** As a caller sends it. */
    sent: (schema: Schema) => fields(schema, requiredOfCaller(schema), type),
    /** Parts of multipart/form-data; any of them may be a file. */
    form: (schema: Schema) => fields(schema, schema.required ?? [], (one) => `${type(one)} | Blob`),
  }
}

function listOf(item: string): string {
  return /^\w+$/.test(item) ? `${item}[]` : `(${item})[]`
}
