import type { MediaDraft } from '@chorale/sdk'
import { useState } from 'react'
import { useChatContext } from '../provider/context.ts'
import type { StoredFile } from '../provider/slots.ts'

export interface ChosenFile {
  readonly key: number
  readonly file: File
  readonly state: 'uploading' | 'ready' | 'failed'
  readonly attachment?: StoredFile
}

export interface Files {
  readonly all: readonly ChosenFile[]
  /** Undefined: the application stores no files. */
  readonly add: ((files: Iterable<File>) => void) | undefined
  remove(key: number): void
  clear(): void
}

let lastKey = 0

/** Files that are stored while a message is written. */
export function useFiles(): Files {
  const { uploadFile, onError } = useChatContext()
  const [all, setAll] = useState<readonly ChosenFile[]>([])
  const change = (key: number, now: Omit<ChosenFile, 'key' | 'file'>) =>
    setAll((files) => files.map((one) => (one.key === key ? { ...one, ...now } : one)))

  function upload(file: File, store: (file: File) => Promise<StoredFile>): void {
    const key = ++lastKey
    setAll((files) => [...files, { key, file, state: 'uploading' }])
    store(file).then(
      (attachment) => change(key, { state: 'ready', attachment }),
      (error) => {
        change(key, { state: 'failed' })
        onError(error)
      },
    )
  }

  return {
    all,
    add:
      uploadFile &&
      ((files) => {
        for (const file of files) upload(file, uploadFile)
      }),
    remove: (key) => setAll((files) => files.filter((one) => one.key !== key)),
    clear: () => setAll([]),
  }
}

const kinds = ['image', 'video', 'audio'] as const

/** One message for all files; its type is theirs, or `file` where they differ. */
export function mediaDraft(files: readonly ChosenFile[]): Pick<MediaDraft, 'type' | 'attachments'> {
  const kind = kinds.find((one) => files.every(({ file }) => file.type.startsWith(`${one}/`)))
  return {
    type: kind ?? 'file',
    attachments: files.flatMap(({ attachment }) => attachment ?? []),
  }
}
