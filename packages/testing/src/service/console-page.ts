/** Where the console of every test is said to be. */
export const consoleUrl = 'http://console.localhost'

/** Headers of a page of the console. */
export function pageHeaders(session: string): Record<string, string> {
  return { cookie: `chorale=${session}`, 'x-chorale-console': '1', origin: consoleUrl }
}
