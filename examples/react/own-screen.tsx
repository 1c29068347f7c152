// A list of messages of your own, on hooks.
import { useConversation, useMessages, useTyping } from '@chorale/react'
import { useState } from 'react'

const bob = { receiver: 'bob', receiverType: 'user' } as const

export function Talk() {
  const { items, hasMore, loadMore } = useMessages(bob)
  const typing = useTyping(bob)
  const conversation = useConversation(bob)
  const [text, setText] = useState('')
  return (
    <>
      {hasMore && (
        <button type="button" onClick={loadMore}>
          Older messages
        </button>
      )}
      {items.map(({ key, sender, data, state }) => (
        <p key={key}>
          {sender}: {data.text} {state === 'failed' && 'not sent'}
        </p>
      ))}
      {typing.length > 0 && <p>{typing.join(', ')} …</p>}
      <form
        action={() => {
          conversation.send(text)
          setText('')
        }}
      >
        <input
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            conversation.typing()
          }}
        />
      </form>
    </>
  )
}
