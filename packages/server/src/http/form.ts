import type { TObject, TSchema } from 'typebox'
import { badRequest } from '../pipeline/failure.ts'
import { inspectText } from './body.ts'

/** Parts of a form by name, as the schema wants them: files in base64, the others as text. */
export async function parseForm(
  bytes: unknown,
  contentType: string | undefined,
  schema: TObject,
): Promise<Record<string, string>> {
  if (!/^multipart\/form-data\s*;/i.test(contentType ?? '')) {
    throw badRequest('content-type', 'Send the body as multipart/form-data.')
  }
  const form = await read(Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0), contentType)
  const parts: Record<string, string> = {}
  for (const [name, property] of Object.entries<TSchema>(schema.properties)) {
    const part = form.get(name)
    if (part === null) continue
    const content = Buffer.from(await new Blob([part]).arrayBuffer())
    const isFile = 'format' in property && property.format === 'binary'
    parts[name] = content.toString(isFile ? 'base64' : 'utf8')
    inspectText(parts[name], name)
  }
  return parts
}

async function read(bytes: Buffer, contentType: string | undefined) {
  const headers = { 'content-type': contentType ?? '' }
  // A copy: what Node pools is not a body of its own.
  return new Response(Uint8Array.from(bytes), { headers }).formData().catch(() => {
    throw badRequest('body', 'The body is not multipart/form-data.')
  })
}
