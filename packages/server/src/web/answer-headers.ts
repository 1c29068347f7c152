/**
 * On every answer: it is what its type says, loads nothing, and belongs in no frame. In lower case, as
 * the framework keeps them: another case is made anew for every answer.
 */
const always = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

export function answerHeaders(hstsSeconds: number): Readonly<Record<string, string>> {
  return hstsSeconds === 0
    ? always
    : { ...always, 'strict-transport-security': `max-age=${hstsSeconds}` }
}

/** For answers that are written to the socket itself. */
export const rawAnswerHeaders = Object.entries(always)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('')
