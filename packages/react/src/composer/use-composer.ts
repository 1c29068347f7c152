import type { MessageDraft } from '@chorale/sdk'
import { type RefObject, useContext, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useConversation } from '../hooks/chat.ts'
import { isShown } from '../messages/small-parts.tsx'
import { useChatContext } from '../provider/context.ts'
import { type Intent, IntentContext } from '../provider/conversation-context.ts'
import type { ComposerProps, Person } from '../provider/slots.ts'
import { type ChosenFile, type Files, mediaDraft, useFiles } from './files.ts'
import { marked, queryAt, typedFrom, withMention } from './mention-text.ts'
import { type Mentions, useMentions } from './use-mentions.ts'

export interface ComposerState {
  readonly text: string
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly intent: Intent | undefined
  readonly files: Files
  readonly mentions: Mentions
  readonly canSend: boolean
  type(text: string, cursor: number): void
  choose(person: Person): void
  send(): void
  cancel(): void
}

/** What is being written, and what becomes of it. */
export function useComposer({ target, onSend }: ComposerProps): ComposerState {
  const conversation = useConversation(target)
  const { onError } = useChatContext()
  const { intent, end } = useContext(IntentContext)
  const [text, setText] = useState('')
  const [mentioned, setMentioned] = useState<readonly Person[]>([])
  const field = useRef<HTMLTextAreaElement>(null)
  const files = useFiles()
  const mentions = useMentions(target)
  const cursor = useCursor(field)

  function clear(): void {
    setText('')
    setMentioned([])
    mentions.ask(undefined)
    files.clear()
    end()
  }

  useEffect(() => {
    if (!intent) return
    field.current?.focus()
    if (intent.kind !== 'edit') return
    const typed = typedFrom(intent.message.data)
    setText(typed.text)
    setMentioned(typed.mentioned)
  }, [intent])

  const isUploading = files.all.some(({ state }) => state === 'uploading')
  const ready = files.all.filter(({ state }) => state === 'ready')
  const canSend = !isUploading && (text.trim() !== '' || ready.length > 0)
  return {
    text,
    field,
    intent,
    files,
    mentions,
    canSend,
    type(now, at) {
      setText(now)
      mentions.ask(queryAt(now, at))
      if (now !== '') conversation.typing()
      else conversation.stopTyping()
    },
    choose(person) {
      if (!mentions.query) return
      const at = field.current?.selectionStart ?? text.length
      const typed = withMention(text, at, mentions.query, person.name)
      setText(typed.text)
      cursor.current = typed.cursor
      setMentioned([...mentioned.filter(({ uid }) => uid !== person.uid), person])
      mentions.ask(undefined)
    },
    send() {
      if (!canSend) return
      const written = marked(text.trim(), mentioned)
      if (intent?.kind === 'edit') {
        conversation.stopTyping()
        conversation.edit(intent.message, written).catch(onError)
      } else {
        const draft = draftOf(written, ready, intent?.message.id)
        const { stored } = onSend ? onSend(draft) : conversation.send(draft)
        stored.catch(isShown)
      }
      clear()
    },
    cancel: clear,
  }
}

function draftOf(
  written: string,
  files: readonly ChosenFile[],
  quotedMessageId: string | undefined,
): MessageDraft {
  const quoted = quotedMessageId === undefined ? {} : { quotedMessageId }
  if (files.length === 0) return { text: written, ...quoted }
  return { ...mediaDraft(files), ...(written !== '' && { text: written }), ...quoted }
}

/** Where the cursor is to be after the next render. */
function useCursor(field: RefObject<HTMLTextAreaElement | null>) {
  const cursor = useRef<number | undefined>(undefined)
  useLayoutEffect(() => {
    if (cursor.current === undefined) return
    field.current?.setSelectionRange(cursor.current, cursor.current)
    field.current?.focus()
    cursor.current = undefined
  })
  return cursor
}
