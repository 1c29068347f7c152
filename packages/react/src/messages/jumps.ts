import type { ChatMessage, LiveList } from '@chorale/sdk'
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import type { Rows } from '../list/use-rows.ts'
import { useConversationContext } from '../provider/conversation-context.ts'

export interface JumpsOptions {
  readonly list: LiveList<ChatMessage>
  readonly rows: Rows
  readonly content: RefObject<HTMLElement | null>
}

/** Scrolls to the message that somebody wants to see, and gives it the focus. */
export function useJumps({ list, rows, content }: JumpsOptions): void {
  const { onShow } = useConversationContext()
  const wanted = useRef<string | undefined>(undefined)
  const toRow = useRef(rows.toRow)
  toRow.current = rows.toRow

  useEffect(
    () =>
      onShow((id) => {
        const index = list.getSnapshot().items.findIndex((message) => message.id === id)
        if (index < 0) return false
        wanted.current = list.getSnapshot().items[index]?.key
        toRow.current(index)
        return true
      }),
    [onShow, list],
  )

  useLayoutEffect(() => {
    if (wanted.current === undefined) return
    const key = CSS.escape(wanted.current)
    const row = content.current?.querySelector<HTMLElement>(`[data-key="${key}"]`)
    if (!row) return
    wanted.current = undefined
    row.focus({ preventScroll: true })
    row.classList.remove('chorale-shown')
    // Read, so that the animation begins again.
    void row.offsetWidth
    row.classList.add('chorale-shown')
  })
}
