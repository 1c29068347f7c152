import { CometChatException } from './exception.ts'

/** Says for each name what to do instead. */
const page = 'https://www.npmjs.com/package/@chorale/compat#what-is-missing'

/** What Chorale has nothing behind. */
export function notAvailable(name: string): CometChatException {
  const message = `${name} is not available with Chorale. See ${page}`
  return new CometChatException({ code: 'ERR_NOT_AVAILABLE', message })
}

const missing = new WeakSet<object>()

/** Throws when it is called, and when it is constructed. */
export function missingName(name: string) {
  function refuse(..._: unknown[]): never {
    throw notAvailable(name)
  }
  missing.add(refuse)
  return refuse
}

export function isMissing(value: object): boolean {
  return missing.has(value)
}

const warned = new Set<string>()

/** For callbacks: nothing fails, they are only never called. */
export function warnNeverCalled(name: string): void {
  if (warned.has(name)) return
  warned.add(name)
  console.warn(`${name} is never called with Chorale. See ${page}`)
}
