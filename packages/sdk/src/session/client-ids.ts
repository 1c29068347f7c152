/** Only what some runtimes lack: `randomUUID` on plain HTTP, all of it in React Native. */
type MaybeCrypto = Partial<Pick<Crypto, 'randomUUID' | 'getRandomValues'>> | undefined

/** Names a message for good, so it must not be chosen twice. */
export function newClientId(): string {
  const crypto: MaybeCrypto = globalThis.crypto
  if (crypto?.randomUUID) return crypto.randomUUID()
  const bytes = new Uint8Array(16)
  if (crypto?.getRandomValues) crypto.getRandomValues(bytes)
  else for (let n = 0; n < bytes.length; n++) bytes[n] = Math.random() * 256
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  // Without a source of good chance, the time makes two devices differ.
  return crypto?.getRandomValues ? digits : `${Date.now().toString(16)}-${digits}`
}
