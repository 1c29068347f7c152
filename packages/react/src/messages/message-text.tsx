import { useStrings } from '../provider/context.ts'
import type { MessagePartProps } from '../provider/slots.ts'
import { isStreaming, textParts } from './message-parts.ts'

/** A text with its links and mentions; while it is being written, with a caret. */
export function MessageText({ message, isActive }: MessagePartProps) {
  const strings = useStrings()
  const isWritten = isStreaming(message)
  // A message cannot be empty, so an agent begins with dots.
  const isBegun = !/^[\s.…]*$/.test(message.data.text ?? '')
  const parts = textParts(message.data).map((part, place) => {
    // Parts have no names, and a text that changes is another list of them.
    const key = `${place}${part.kind}`
    if (part.kind === 'text') return <span key={key}>{part.text}</span>
    if (part.kind === 'mention') {
      return (
        <b key={key} className="chorale-mention">
          {part.text}
        </b>
      )
    }
    return (
      <a
        key={key}
        href={part.text}
        target="_blank"
        rel="noopener noreferrer"
        tabIndex={isActive ? 0 : -1}
      >
        {part.text}
      </a>
    )
  })
  return (
    <p className="chorale-text" dir="auto" data-streaming={isWritten || undefined}>
      {isWritten && !isBegun ? strings.writing : parts}
    </p>
  )
}
