import type { ChatMessage, LiveList } from '@chorale/sdk'
import { useEffect, useRef, useState } from 'react'
import { useStrings } from '../provider/context.ts'
import { isStreaming, senderName, summaryOf } from './message-parts.ts'

/** Tells readers of the screen of new messages, politely; of text that is being written, when it is whole. */
export function Announcer({ list }: { readonly list: LiveList<ChatMessage> }) {
  const strings = useStrings()
  const [text, setText] = useState('')
  const heard = useRef<string | undefined>(undefined)
  const unfinished = useRef(new Set<string>())

  useEffect(() => {
    heard.current = newestOf(list)?.key
    return list.subscribe(() => {
      const { items, status } = list.getSnapshot()
      const after = items.findLastIndex(({ key }) => key === heard.current) + 1
      const fresh = heard.current === undefined ? [] : items.slice(after)
      heard.current = items.at(-1)?.key ?? (status === 'ready' ? '' : undefined)
      for (const one of fresh) if (isStreaming(one)) unfinished.current.add(one.key)
      const finished = items.filter(
        (one) => unfinished.current.has(one.key) && !isStreaming(one) && !fresh.includes(one),
      )
      for (const { key } of finished) unfinished.current.delete(key)
      const told = [...finished, ...fresh].filter((one) => !one.isOwn && !isStreaming(one))
      if (told.length > 0) {
        setText(told.map((one) => `${senderName(one)}: ${summaryOf(one, strings)}`).join('\n'))
      }
    })
  }, [list, strings])

  return (
    <div className="chorale-hidden" role="log" aria-live="polite" aria-label={strings.newMessages}>
      {text}
    </div>
  )
}

function newestOf(list: LiveList<ChatMessage>): ChatMessage | undefined {
  return list.getSnapshot().items.at(-1)
}
