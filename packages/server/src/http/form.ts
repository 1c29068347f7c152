import type { TObject, TSchema } from 'typebox'
import { badRequest } from '../pipeline/failure.ts'
import { inspectText } from '../pipeline/json.ts'

/**
 * Parts of a form by name, as the schema wants them: files in base64, the others as text. A list has
 * a part for each item, whose name may end in `[]`.
 */
export async function parseForm(
  bytes: unknown,
  contentType: string | undefined,
  schema: TObject,
): Promise<Record<string, string | string[]>> {
  if (!/^multipart\/form-data\s*;/i.test(contentType ?? '')) {
    throw badRequest('content-type', 'Send the body as multipart/form-data.')
  }
  const form = await read(Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0), contentType)
  const parts: Record<string, string | string[]> = {}
  for (const [name, property] of Object.entries<TSchema>(schema.properties)) {
    const isFile = 'format' in property && property.format === 'binary'
    const isList = 'type' in property && property.type === 'array'
    const given = isList ? [name, `${name}[]`] : [name]
    const texts = given.flatMap((key) => form.getAll(key)).map((part) => textOf(part, isFile, name))
    const [first, ...more] = await Promise.all(texts)
    if (first !== undefined) parts[name] = isList ? [first, ...more] : first
  }
  return parts
}

/** The parts of a form in their order, where each is a field of a body. */
export async function fieldsOf(
  bytes: Buffer,
  contentType: string,
): Promise<(readonly [string, string])[]> {
  return Array.from(await read(bytes, contentType), ([name, part]) => {
    if (typeof part === 'string') return [name, part] as const
    throw badRequest(name, 'Files are not taken here: send a link to it.')
  })
}

async function textOf(part: FormDataEntryValue, isFile: boolean, name: string): Promise<string> {
  const content = Buffer.from(await new Blob([part]).arrayBuffer())
  const text = content.toString(isFile ? 'base64' : 'utf8')
  inspectText(text, name)
  return text
}

async function read(bytes: Buffer, contentType: string | undefined) {
  const headers = { 'content-type': contentType ?? '' }
  // A copy: what Node pools is not a body of its own.
  return new Response(Uint8Array.from(bytes), { headers }).formData().catch(() => {
    throw badRequest('body', 'The body is not multipart/form-data.')
  })
}
