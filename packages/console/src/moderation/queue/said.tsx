import { queue } from '../../strings/moderation.ts'
import { textWithNames } from '../../ui/mentions.ts'

/** A list of messages, each a line. */
export function Said({ messages }: { readonly messages: readonly object[] }) {
  return (
    <ul className="around">
      {messages.map((one) =>
        'sender' in one && 'data' in one && 'id' in one ? (
          <li key={String(one.id)}>
            <strong>{String(one.sender)}</strong> {textWithNames(one.data) ?? queue.noText}
          </li>
        ) : null,
      )}
    </ul>
  )
}
