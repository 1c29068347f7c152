/**
 * An answer that is text already: JSON that was stored goes out without being parsed and printed
 * again. Tests parse it and hold it against the contract.
 */
export class Printed<T> {
  /** Never there; carries the type that the text has once it is parsed. */
  declare readonly value?: T
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** An object as text, with fields behind it that are text already; `undefined` ones fall away. */
export function printWith(
  object: object,
  printed: Readonly<Record<string, string | undefined>>,
): string {
  const fields = Object.entries(printed).flatMap(([name, text]) =>
    text === undefined ? [] : [`${JSON.stringify(name)}:${text}`],
  )
  return inside(JSON.stringify(object), fields)
}

/** Fields put behind those that the text of an object has. */
export function inside(object: string, fields: readonly string[]): string {
  if (fields.length === 0) return object
  const comma = object.length > 2 ? ',' : ''
  return `${object.slice(0, -1)}${comma}${fields.join(',')}}`
}

/** Put behind each other, not joined: whoever sends the text copies it anyway. */
export function printList(items: readonly string[]): string {
  let text = ''
  for (const item of items) text += text === '' ? item : `,${item}`
  return `[${text}]`
}
