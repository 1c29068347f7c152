import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { Decrypter } from 'age-encryption'
import { PlainError } from '../plain-error.ts'
import { DamagedArchive, type Item, itemIn } from './format.ts'
import type { Part } from './manifest.ts'
import { chunksOf, streamOf } from './web-streams.ts'

/** The lines of a part, each checked; throws at the first that is not what was written. */
export async function* itemsOf(
  folder: string,
  { file, lines, sha256 }: Part,
  identities: readonly string[],
): AsyncGenerator<Item> {
  const hash = createHash('sha256')
  let number = 0
  try {
    const stored = hashed(createReadStream(join(folder, file)), hash)
    const plain = file.endsWith('.age') ? await decrypted(stored, file, identities) : stored
    for await (const line of linesOf(plain)) {
      number += 1
      yield itemIn(file, number, line)
    }
  } catch (error) {
    if (error instanceof PlainError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new DamagedArchive(file, number + 1, `It cannot be read: ${reason}.`)
  }
  if (number !== lines) {
    throw new DamagedArchive(file, number + 1, `It ends here; ${lines} lines were written.`)
  }
  if (hash.digest('hex') !== sha256) {
    throw new DamagedArchive(file, 1, 'The digest of the file does not fit.')
  }
}

async function* hashed(chunks: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hash.update(chunk)
    yield chunk
  }
}

async function decrypted(
  stored: AsyncGenerator<Uint8Array>,
  file: string,
  identities: readonly string[],
): Promise<AsyncIterable<Uint8Array>> {
  if (identities.length === 0) {
    throw new PlainError(`${file} is encrypted: name the file of the key with --identity.`)
  }
  const decrypter = new Decrypter()
  for (const one of identities) decrypter.addIdentity(one)
  return chunksOf(await decrypter.decrypt(streamOf(stored)))
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  // What is cut off in the middle of a line is a line that does not fit.
  if (rest !== '') yield rest
}

/** Of a file as `age-keygen` writes it. */
export function identitiesIn(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}
