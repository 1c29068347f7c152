import { badRequest } from '../pipeline/failure.ts'
import { parseJson, readText, requireObject, requireUtf8 } from '../pipeline/json.ts'
import { fieldsOf } from './form.ts'
import { objectOfFields } from './url-encoded.ts'

/** What parses the body of a request, each time anew. */
export function bodyReader(
  bytes: unknown,
  contentType: string | undefined,
  lenient: boolean,
): (() => unknown) | Promise<() => unknown> {
  const hasParts = lenient && /^multipart\/form-data\s*;/i.test(contentType ?? '')
  return hasParts && Buffer.isBuffer(bytes)
    ? partsReader(bytes, contentType ?? '')
    : () => parseBody(bytes, contentType, lenient)
}

/** As `curl -F` sends, and PHP's curl, given an array. */
async function partsReader(bytes: Buffer, contentType: string): Promise<() => unknown> {
  const fields = await fieldsOf(bytes, contentType)
  requireUtf8(bytes)
  return () => objectOfFields(fields)
}

/** Bytes of a request to an object: JSON or, read leniently, what a form has encoded. */
export function parseBody(
  bytes: unknown,
  contentType: string | undefined,
  lenient: boolean,
): unknown {
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) return undefined
  const read = readText(bytes)
  // Some editors and Windows clients begin with a mark of byte order.
  const text = lenient && read.charCodeAt(0) === 0xfeff ? read.slice(1) : read
  if (!lenient) requireJson(contentType)
  const isForm = lenient && isUrlEncoded(text, contentType)
  const body = isForm ? objectOfFields(new URLSearchParams(text)) : parseJson(text, 'body')
  // An empty list is what PHP makes of an empty object, and null what others make of none.
  const isEmpty = body === null || (Array.isArray(body) && body.length === 0)
  return lenient && isEmpty ? {} : requireObject(body)
}

/** Where no type is named, JSON begins as JSON does. `curl -d` calls a form whatever it sends. */
function isUrlEncoded(text: string, contentType: string | undefined): boolean {
  if (isJson(contentType)) return false
  const looksLikeJson = /^\s*[[{]/.test(text)
  if (!contentType) return !looksLikeJson
  if (/^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType)) return !looksLikeJson
  requireJson(contentType)
  return false
}

function isJson(contentType: string | undefined): boolean {
  return contentType === 'application/json' || /^application\/json\s*(;|$)/i.test(contentType ?? '')
}

function requireJson(contentType = ''): void {
  if (isJson(contentType)) return
  const named = contentType ? `; this is ${contentType.slice(0, 100)}` : ''
  throw badRequest('content-type', `Send the body as application/json${named}.`)
}
