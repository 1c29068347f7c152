import { isUtf8 } from 'node:buffer'
import { badRequest } from './failure.ts'
import { inexact, isExact } from './numbers.ts'

const deepest = 32

export function requireUtf8(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw badRequest('body', 'The body is not valid UTF-8.')
}

export function readText(bytes: Buffer): string {
  requireUtf8(bytes)
  return bytes.toString('utf8')
}

export function requireObject(body: unknown): object {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
  throw badRequest('body', 'The body must be a JSON object.')
}

/**
 * Text to JSON, for whatever a client sends. What PostgreSQL or a handler would choke on later (NUL,
 * lone surrogates, numbers that lose digits, prototype keys, bottomless nesting) is refused here.
 * `place` names it in what is said about it.
 */
export function parseJson(text: string, place: string): unknown {
  const value = parse(text, place)
  inspect(value, place, 1)
  return value
}

function parse(text: string, place: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest(place, `The ${place} is not valid JSON.`)
  }
}

function inspect(value: unknown, place: string, depth: number): void {
  if (typeof value === 'string') inspectText(value, place)
  else if (typeof value === 'number') inspectNumber(value, place)
  else if (typeof value === 'object' && value !== null) inspectInside(value, place, depth)
}

function inspectInside(value: object, place: string, depth: number): void {
  if (depth > deepest) throw badRequest('body', `Nest at most ${deepest} levels.`)
  if (Array.isArray(value)) {
    for (const item of value) inspect(item, place, depth + 1)
    return
  }
  const object = value as Readonly<Record<string, unknown>>
  for (const key of Object.keys(object)) {
    if (key === '__proto__') throw badRequest('body', 'The name __proto__ is not allowed.')
    inspectText(key, place)
    inspect(object[key], depth === 1 ? key : place, depth + 1)
  }
}

export function inspectText(text: string, place: string): void {
  if (text.includes('\0')) throw badRequest(place, 'The character NUL is not allowed.')
  if (!text.isWellFormed()) throw badRequest(place, 'A lone surrogate is not a character.')
}

function inspectNumber(value: number, place: string): void {
  if (!isExact(value)) throw badRequest(place, inexact)
}

/** An escape of a unit of text, such as \u0000, has six; a unit that is not escaped at most three. */
const maxBytesOfUnit = 6
const maxBytesOfNumber = 25

/** At most so many bytes has a parsed JSON value as JSON text: found without making the text. */
export function maxJsonBytes(value: unknown): number {
  if (typeof value === 'string') return value.length * maxBytesOfUnit + 2
  if (typeof value !== 'object' || value === null) return maxBytesOfNumber
  let bytes = 2
  if (Array.isArray(value)) {
    for (const item of value) bytes += maxJsonBytes(item) + 1
    return bytes
  }
  const object = value as Readonly<Record<string, unknown>>
  for (const name of Object.keys(object)) {
    bytes += maxJsonBytes(name) + maxJsonBytes(object[name]) + 2
  }
  return bytes
}
