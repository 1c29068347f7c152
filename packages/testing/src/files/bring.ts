import type { Upload } from '@chorale/contract/files'
import type { TestApp } from '../service/test-app.ts'

type Put = NonNullable<Upload['put']>

/** Brings bytes as an upload says. Returns the status that the store has answered. */
export async function bring(
  { fetchFile }: Pick<TestApp, 'fetchFile'>,
  { method, url, fields, headers }: Put,
  bytes: Uint8Array,
): Promise<number> {
  const blob = new Blob([Uint8Array.from(bytes)])
  const form = new FormData()
  for (const [name, value] of Object.entries(fields ?? {})) form.append(name, value)
  form.append('file', blob, 'file')
  const answer =
    method === 'POST'
      ? await fetchFile(url, { method, body: form })
      : await fetchFile(url, { method, body: blob, headers: { ...headers } })
  await answer.arrayBuffer()
  return answer.status
}

/** Of a part, counted from 1. */
export function partOf(bytes: Uint8Array, number: number, size: number): Uint8Array {
  return bytes.subarray((number - 1) * size, number * size)
}
