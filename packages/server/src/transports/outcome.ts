import { createHash } from 'node:crypto'

/** What became of one notification for one device. */
export type PushOutcome =
  | { readonly is: 'accepted'; readonly id?: string }
  /** The device, or the address, is no longer there: forget it. */
  | { readonly is: 'gone'; readonly reason: string }
  /** Worth another attempt. The provider may have seen this one. */
  | { readonly is: 'later'; readonly reason: string; readonly retryAfterMs?: number }
  /** The credentials or the payload are wrong: no attempt will do better. */
  | { readonly is: 'refused'; readonly reason: string }

export function later(reason: string, retryAfterMs?: number): PushOutcome {
  return { is: 'later', reason, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

/** `Retry-After`: seconds, or a date. */
export function retryAfterMs(
  headers: Readonly<Record<string, string>>,
  nowMs = Date.now(),
): number | undefined {
  const text = headers['retry-after']
  if (!text) return undefined
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs)
}

/** The same name for the same text, in no more characters than a provider takes. */
export function shorten(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text
  return createHash('sha256').update(text).digest('base64url').slice(0, most)
}

/** Of an answer that should be JSON and may be anything. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
