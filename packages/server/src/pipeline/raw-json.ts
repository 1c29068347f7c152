/**
 * An answer that is text already: JSON that was stored goes out without being parsed and printed
 * again. Tests parse it and hold it against the contract.
 */
export class RawJson<T> {
  /** Never there; carries the type that the text has once it is parsed. */
  declare readonly value?: T
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The usual answer: what was asked for, as JSON text, under `data`. */
export function rawData<T>(text: string): RawJson<T> {
  return new RawJson(`{"data":${text}}`)
}

/** An object as text: `raw` fields are text already; those that are undefined are left out. */
export function rawObject(
  object: object,
  raw: Readonly<Record<string, string | undefined>>,
): string {
  const fields = Object.entries(raw).flatMap(([name, text]) =>
    text === undefined ? [] : [`${JSON.stringify(name)}:${text}`],
  )
  return inside(JSON.stringify(object), fields)
}

/** The text of an object with the fields of another behind its own. */
export function withFields(object: string, fields: object): string {
  const text = JSON.stringify(fields)
  return inside(object, text === '{}' ? [] : [text.slice(1, -1)])
}

/** The text of an object with fields behind its own, each as `"name":value`. */
export function inside(object: string, fields: readonly string[]): string {
  if (fields.length === 0) return object
  const comma = object.length > 2 ? ',' : ''
  return `${object.slice(0, -1)}${comma}${fields.join(',')}}`
}

/** Put behind each other, not joined: whoever sends the text copies it anyway. */
export function rawList(items: readonly string[]): string {
  let text = ''
  for (const item of items) text += text === '' ? item : `,${item}`
  return `[${text}]`
}
