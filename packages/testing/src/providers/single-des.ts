import crypto from 'node:crypto'

/**
 * The test server of S3 makes the tokens of its lists with DES, which OpenSSL 3 has no more. Triple
 * DES with one key three times is the same.
 */
export function provideSingleDes(): void {
  const { createCipheriv, createDecipheriv } = crypto
  const given = (algorithm: string, key: crypto.CipherKey): [string, crypto.CipherKey] =>
    algorithm === 'des' && Buffer.isBuffer(key)
      ? ['des-ede3-cbc', Buffer.concat([key, key, key])]
      : [algorithm, key]
  Object.assign(crypto, {
    createCipheriv: (algorithm: string, key: crypto.CipherKey, iv: crypto.BinaryLike | null) =>
      createCipheriv(...given(algorithm, key), iv),
    createDecipheriv: (algorithm: string, key: crypto.CipherKey, iv: crypto.BinaryLike | null) =>
      createDecipheriv(...given(algorithm, key), iv),
  })
}
