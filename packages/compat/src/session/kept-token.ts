import { StorageMode } from '../constants.ts'

/** The auth token of whoever is logged in, so that a page that is loaded again need not ask. */
export interface KeptToken {
  read(): string | undefined
  write(authToken: string | undefined): void
}

export function keptToken(appId: string, mode: string): KeptToken {
  const storage = storageOf(mode)
  const key = `chorale-compat:${appId}`
  return {
    read: () => storage?.getItem(key) ?? undefined,
    write(authToken) {
      if (authToken === undefined) storage?.removeItem(key)
      else storage?.setItem(key, authToken)
    },
  }
}

/** Only pages have one; elsewhere whoever starts again logs in again. */
function storageOf(mode: string): Storage | undefined {
  if (!('document' in globalThis)) return undefined
  return mode === StorageMode.SESSION ? sessionStorage : localStorage
}
