import type { Chat } from '@chorale/sdk'
import { type ReactNode, useMemo } from 'react'
import { ChatContext } from './context.ts'
import { formatFor } from './format.ts'
import type { Slots, StoredFile } from './slots.ts'
import { english, type Strings } from './strings.ts'
import { usersOf } from './users.ts'

export interface ChatProviderProps {
  /** From `createChat`. Whoever has made it closes it. */
  readonly chat: Chat
  /** Words in another language; those left out are English. */
  readonly strings?: Partial<Strings>
  /** Of dates and times, such as `ar-EG`; that of the browser unless given. */
  readonly locale?: string
  /** Parts to replace. Keep the object between renders. */
  readonly components?: Partial<Slots>
  /** Stores a file and says where it is; without it there is no button for files. */
  readonly uploadFile?: (file: File) => Promise<StoredFile>
  /** Which reactions are offered. Keep the array between renders. */
  readonly reactions?: readonly string[]
  /** What went wrong where no component can show it. Printed unless given. */
  readonly onError?: (error: unknown) => void
  readonly children?: ReactNode
}

const noComponents: Partial<Slots> = {}
const someReactions = ['👍', '❤️', '😂', '🎉', '😮', '🙏']

export function ChatProvider(props: ChatProviderProps) {
  const { chat, strings, locale, uploadFile, children } = props
  const { components = noComponents, reactions = someReactions, onError = console.error } = props
  const format = useMemo(() => formatFor(locale), [locale])
  const words = useMemo(() => ({ ...english, ...strings }), [strings])
  const value = useMemo(
    () => ({
      chat,
      strings: words,
      format,
      components,
      uploadFile,
      reactions,
      users: usersOf(chat, onError),
      onError,
    }),
    [chat, words, format, components, uploadFile, reactions, onError],
  )
  return <ChatContext value={value}>{children}</ChatContext>
}
