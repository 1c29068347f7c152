import { queue } from '../../strings/moderation.ts'

/** A list of messages, each a line. */
export function Said({ messages }: { readonly messages: readonly object[] }) {
  return (
    <ul className="around">
      {messages.map((one) =>
        'sender' in one && 'data' in one && 'id' in one ? (
          <li key={String(one.id)}>
            <strong>{String(one.sender)}</strong> {String(Object(one.data).text ?? queue.noText)}
          </li>
        ) : null,
      )}
    </ul>
  )
}
