import { badRequest } from '../pipeline/failure.ts'
import { inspectText } from '../pipeline/json.ts'

const maxFields = 2000
const deepest = 8

interface Branch {
  [name: string]: string | Branch
}

type Value = string | readonly Value[] | { readonly [name: string]: Value }

/**
 * `a=1&b[c]=2&d[]=3&d[]=4`, as forms and PHP's `http_build_query` write it, and `d=3&d=4`, as most
 * others do. All of it is text; what the text means, the schema says.
 */
export function objectOfFields(given: Iterable<readonly [string, string]>): Value {
  const root: Branch = Object.create(null)
  let fields = 0
  for (const [key, value] of given) {
    if (++fields > maxFields) throw badRequest('body', `Send at most ${maxFields} fields.`)
    inspectText(key, 'body')
    inspectText(value, key)
    put(root, pathOf(key), value)
  }
  return objectOf(root)
}

/** What has places for names, from the first on, is a list. */
function grown(part: string | Branch): Value {
  if (typeof part === 'string') return part
  if (isList(part)) return Object.values(part).map(grown)
  return objectOf(part)
}

function objectOf(branch: Branch): Value {
  return Object.fromEntries(Object.entries(branch).map(([name, part]) => [name, grown(part)]))
}

function isList(branch: Branch): boolean {
  return Object.keys(branch).every((name, nth) => name === String(nth))
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
  for (const part of path.slice(0, -1)) branch = branchAt(branch, nameOf(branch, root, part))
  const name = nameOf(branch, root, path.at(-1) ?? '')
  const known = branch[name]
  if (known === undefined) branch[name] = value
  else if (typeof known === 'string') branch[name] = listOf(known, value)
  else if (isList(known)) known[nextPlace(known)] = value
  else throw withPartsAndWithout(name)
}

function listOf(...values: readonly string[]): Branch {
  return Object.assign(Object.create(null), values)
}

function branchAt(branch: Branch, name: string): Branch {
  const known = branch[name]
  if (typeof known === 'string') throw withPartsAndWithout(name)
  const next = known ?? Object.create(null)
  branch[name] = next
  return next
}

function withPartsAndWithout(name: string) {
  return badRequest(name, 'This field has both a value and nested fields.')
}

function nameOf(branch: Branch, root: Branch, part: string): string {
  return part === '' && branch !== root ? nextPlace(branch) : part
}

/** Behind the last. */
function nextPlace(branch: Branch): string {
  const places = Object.keys(branch).filter((name) => /^\d{1,9}$/.test(name))
  return String(Number(places.at(-1) ?? -1) + 1)
}
