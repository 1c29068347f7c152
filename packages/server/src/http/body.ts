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
  // Some editors and Windows clients begin with a mark of byte order.
  const text = readText(bytes).replace(lenient ? /^\ufeff/ : '', '')
  if (!lenient) requireJson(contentType)
  const isForm = lenient && isUrlEncoded(text, contentType)
  const body = isForm ? objectOfFields(new URLSearchParams(text)) : parseJson(text, 'body')
  // An empty list is what PHP makes of an empty object, and null what others make of none.
  const isEmpty = body === null || (Array.isArray(body) && body.length === 0)
  return lenient && isEmpty ? {} : requireObject(body)
}

/** Where no type is named, JSON begins as JSON does. `curl -d` calls a form whatever it sends. */
function isUrlEncoded(text: string, contentType: string | undefined): boolean {
  const looksLikeJson = /^\s*[[{]/.test(text)
  if (!contentType) return !looksLikeJson
  if (/^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType)) return !looksLikeJson
  requireJson(contentType)
  return false
}

function requireJson(contentType = ''): void {
  if (/^application\/json\s*(;|$)/i.test(contentType)) return
  const named = contentType ? `; this is ${contentType.slice(0, 100)}` : ''
  throw badRequest('content-type', `Send the body as application/json${named}.`)
}
