import { parse } from 'node:querystring'
import { badRequest } from '../pipeline/failure.ts'
import { inspectText } from '../pipeline/json.ts'

const maxParameters = 200

/** `tags=a&tags=b`, `tags[]=a` and `tags[0]=a` all mean the list `tags`. */
export function parseQuery(text: string): Record<string, unknown> {
  const result: Record<string, unknown> = Object.create(null)
  if (text === '') return result
  for (const [key, value] of Object.entries(parse(text, '&', '=', { maxKeys: maxParameters }))) {
    if (value === undefined) continue
    const name = key.replace(/\[\d*\]$/, '')
    const known = result[name]
    const values = [known, value].flat().filter((item) => item !== undefined)
    result[name] = name !== key || values.length > 1 ? values : values[0]
  }
  return result
}

export function inspectQuery(query: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(query)) {
    for (const item of [value].flat()) {
      if (typeof item === 'string') inspectText(item, name)
      // decodeURIComponent's replacement: the bytes were not UTF-8.
      if (String(item).includes('\ufffd')) throw badRequest(name, 'This is not valid UTF-8.')
    }
  }
}
