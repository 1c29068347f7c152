import { badRequest } from '../pipeline/failure.ts'
import { inspectText } from '../pipeline/json.ts'

const mostFields = 2000
const deepest = 8

interface Branch {
  [name: string]: string | Branch
}

/**
 * `a=1&b[c]=2&d[]=3&d[]=4`, as forms and PHP's `http_build_query` write it. All of it is text; a list
 * is an object with places for names. Which it is, and what the text means, the schema says.
 */
export function parseUrlEncoded(text: string): Branch {
  const root: Branch = Object.create(null)
  let fields = 0
  for (const [key, value] of new URLSearchParams(text)) {
    if (++fields > mostFields) throw badRequest('body', `Send at most ${mostFields} fields.`)
    inspectText(key, 'body')
    inspectText(value, key)
    put(root, pathOf(key), value)
  }
  return root
}

function pathOf(key: string): readonly string[] {
  const [first = '', ...inside] = key.split('[')
  const names = inside.map((part) => part.replace(/\]$/, ''))
  if (names.length >= deepest) throw badRequest('body', `Nest at most ${deepest} levels.`)
  if ([first, ...names].includes('__proto__')) {
    throw badRequest('body', 'The name __proto__ is not allowed.')
  }
  return [first, ...names]
}

function put(root: Branch, path: readonly string[], value: string): void {
  let branch = root
  for (const [depth, part] of path.entries()) {
    const name = part === '' && depth > 0 ? String(Object.keys(branch).length) : part
    if (depth === path.length - 1) {
      branch[name] = value
      return
    }
    const known = branch[name]
    const next: Branch = typeof known === 'object' ? known : Object.create(null)
    branch[name] = next
    branch = next
  }
}
