import { type ClientFrame, clientFrames } from '@chorale/contract/frames'
import type { RawData } from 'ws'
import { badRequest } from '../pipeline/failure.ts'
import { parseJson, readText, requireObject } from '../pipeline/json.ts'
import { readerOf } from '../pipeline/validation.ts'

const readers: Readonly<Record<string, (value: unknown) => ClientFrame>> = {
  auth: readerOf(clientFrames.auth),
  call: readerOf(clientFrames.call),
  typing: readerOf(clientFrames.typing),
  transient: readerOf(clientFrames.transient),
  ping: readerOf(clientFrames.ping),
}

/** What a client said, or the failure it deserves. */
export function readFrame(data: RawData): ClientFrame {
  const text = Buffer.isBuffer(data) ? readText(data) : ''
  const value = text === '' ? {} : requireObject(parseJson(text, 'body'))
  const type = 'type' in value ? value.type : undefined
  const read = typeof type === 'string' && Object.hasOwn(readers, type) ? readers[type] : undefined
  if (!read) throw badRequest('type', `Use one of: ${Object.keys(readers).join(', ')}.`)
  return read(value)
}
