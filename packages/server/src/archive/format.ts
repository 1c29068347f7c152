import { crc32 } from 'node:zlib'
import { PlainError } from '../plain-error.ts'

/** Changes when a reader of the version before would misread an archive. docs/archives.md describes it. */
export const archiveVersion = 1

/** What an import brings along, in the order in which it must come. */
type ImportedKind = 'settings' | 'role' | 'user' | 'group' | 'member' | 'message' | 'conversation'

/** Only for people to read: of one user. */
type ReadKind = 'account' | 'friend' | 'blocked' | 'mention' | 'reaction' | 'edit'

export type Kind = ImportedKind | ReadKind

export interface Item {
  readonly kind: Kind
  readonly item: object
}

/** A file of an archive is not what was written. */
export class DamagedArchive extends PlainError {
  constructor(file: string, line: number, what: string) {
    super(`${file}, line ${line}: ${what} Nothing was imported from there on.`)
  }
}

/** A line of a part, without the line feed. The checksum covers what stands before it. */
export function lineOf(number: number, { kind, item }: Item): string {
  const text = `{"line":${number},"kind":"${kind}","item":${JSON.stringify(item)}`
  return `${text},"crc":"${checksumOf(text)}"}`
}

const ending = /,"crc":"([0-9a-f]{8})"}$/

/** Throws where it is not what was written there. */
export function itemIn(file: string, number: number, line: string): Item {
  const found = ending.exec(line)
  const text = line.slice(0, found?.index)
  if (!found || found[1] !== checksumOf(text)) {
    throw new DamagedArchive(file, number, 'The checksum does not fit.')
  }
  const { line: stated, kind, item } = JSON.parse(line)
  if (stated !== number) {
    throw new DamagedArchive(file, number, `This is line ${stated}: lines are missing or moved.`)
  }
  return { kind, item }
}

function checksumOf(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}
