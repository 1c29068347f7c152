import { expect, test } from 'vitest'
import { parseTraceparent, traceparentOf } from './trace-context.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'

test('a traceparent is read and written as W3C Trace Context says', () => {
  for (const [flags, isSampled] of [
    ['01', true],
    ['00', false],
  ] as const) {
    const text = `00-${traceId}-${spanId}-${flags}`
    expect(parseTraceparent(text)).toEqual({ traceId, spanId, isSampled })
    expect(traceparentOf({ traceId, spanId, isSampled })).toBe(text)
  }
})

test('a later version with more fields is read as far as it is known', () => {
  expect(parseTraceparent(`cc-${traceId}-${spanId}-03-more`)).toEqual({
    traceId,
    spanId,
    isSampled: true,
  })
})

test.each([
  '',
  `ff-${traceId}-${spanId}-01`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${traceId}-${spanId}-01-more`,
  `00-${traceId}-${spanId}`,
  `00-${traceId}-${spanId}-01\n`,
  `cc-${traceId}-${spanId}-01-${'x'.repeat(300)}`,
])('%j is no traceparent', (text) => {
  expect(parseTraceparent(text)).toBeUndefined()
})
