/** On every answer: it is what its type says, loads nothing, and belongs in no frame. */
const always = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
}

export function answerHeaders(hstsSeconds: number): Readonly<Record<string, string>> {
  return hstsSeconds === 0
    ? always
    : { ...always, 'Strict-Transport-Security': `max-age=${hstsSeconds}` }
}

/** For answers that are written to the socket itself. */
export const rawAnswerHeaders = Object.entries(always)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('')
