import type { ErrorObject } from 'ajv/dist/2020.js'
import { characters } from './characters.ts'

/** By field: what is wrong with it. */
export type Details = Record<string, string[]>

const maxFields = 50
const maxShown = 60

/** In words for whoever has sent it: no expression, no name of a schema's keyword. */
export function objectionsTo(errors: readonly ErrorObject[]): Details {
  const details: Details = {}
  for (const error of relevantErrors(errors)) {
    const field = fieldOf(error)
    // What else is wrong with it often follows from the first.
    if (field in details) continue
    if (Object.keys(details).length >= maxFields) break
    details[field] = [sentence(error)]
  }
  return details
}

/**
 * Where a value may be of several kinds, each kind objects. Those that are not meant fall away: if the
 * value, or what is in it, fits one kind but for a detail, that detail is reported; else all kinds are.
 */
function relevantErrors(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const places = new Set(
    errors.filter(({ keyword }) => keyword === 'anyOf').map(({ instancePath }) => instancePath),
  )
  if (places.size === 0) return errors
  return errors.flatMap((error) => {
    const { instancePath: place, keyword } = error
    if (!places.has(place) || (keyword !== 'type' && keyword !== 'anyOf')) return [error]
    const closer = errors.some(
      (other) =>
        other.instancePath.startsWith(`${place}/`) ||
        (other.instancePath === place && other.keyword !== 'type' && other.keyword !== 'anyOf'),
    )
    if (closer || keyword === 'anyOf') return []
    const kinds = errors.filter((other) => other.instancePath === place && other.keyword === 'type')
    return [{ ...error, params: { type: kinds.flatMap(({ params }) => params.type) } }]
  })
}

function fieldOf({ instancePath, keyword, params }: ErrorObject): string {
  const place = instancePath.slice(1).replaceAll('/', '.')
  if (keyword !== 'required') return place || 'body'
  return [place, String(params.missingProperty)].filter(Boolean).join('.')
}

const namesOfTypes: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  string: 'text',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

/** Of these not even what is wrong with them is shown, unless they are a yes or a no. */
const secret = /password|secret|token|(?<!search)key(?!word)|credential/i

function sentence(error: ErrorObject): string {
  const { keyword, params, data } = error
  const isSecret = secret.test(error.instancePath) && error.parentSchema?.type !== 'boolean'
  const shown = isSecret ? '' : shownOf(data)
  const insteadOf = shown && `, not ${shown}`
  const thisIs = shown && ` (this is ${shown})`
  const own: unknown = error.parentSchema?.['x-objection']
  if (keyword === 'required') return 'This field is required.'
  if (data === '' && (keyword === 'minLength' || keyword === 'pattern' || keyword === 'format')) {
    return 'This field must not be empty.'
  }
  switch (keyword) {
    case 'enum':
      return `Use one of: ${params.allowedValues.join(', ')}${thisIs}.`
    case 'type':
      return `This must be ${typesOf(params.type)}${insteadOf}.`
    case 'format':
      if (/^https?:/i.test(String(data))) {
        return `Write spaces and accents in a link as %20 and the like${thisIs}.`
      }
      return formOf(own, thisIs)
    case 'pattern':
      return formOf(own, thisIs)
    case 'minLength':
      return `Use at least ${params.limit} characters.`
    case 'maxLength':
      return `Use at most ${params.limit} characters; these are ${characters(String(data))}.`
    case 'minItems':
      return `Name at least ${params.limit}.`
    case 'maxItems':
      return `Name at most ${params.limit}; these are ${Object(data).length}.`
    case 'maxProperties':
      return `Name at most ${params.limit}; these are ${Object.keys(Object(data)).length}.`
    case 'minimum':
      return `This must be at least ${params.limit}${insteadOf}.`
    case 'maximum':
      return `This must be at most ${params.limit}${insteadOf}.`
    case 'x-maxBytes':
      return `This has ${Buffer.byteLength(JSON.stringify(data))} bytes of JSON; ${error.schema} are allowed.`
    default:
      return 'This is not one of the forms that are allowed.'
  }
}

function formOf(own: unknown, thisIs: string): string {
  return `${typeof own === 'string' ? own : 'This has a form that is not allowed'}${thisIs}.`
}

function typesOf(type: string | readonly string[]): string {
  const names = [...new Set([type].flat().map((one) => namesOfTypes[one] ?? one))]
  const last = names.pop()
  return names.length > 0 ? `${names.join(', ')} or ${last}` : String(last)
}

/** Shown where it is short; lists and objects by what they are. */
function shownOf(data: unknown): string {
  if (data === null) return 'null'
  if (Array.isArray(data)) return 'a list'
  if (typeof data === 'object') return 'an object'
  if (typeof data === 'string' && data.length > maxShown) return ''
  const shown = JSON.stringify(data)
  return shown === undefined || shown.length > maxShown ? '' : shown
}
