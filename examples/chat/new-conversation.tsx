import { useChat, useLiveList } from '@chorale/react'
import type { Target } from '@chorale/sdk'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Person } from './session.ts'

interface NewConversationProps {
  readonly people: readonly Person[]
  readonly onOpen: (target: Target) => void
  readonly onClose: () => void
}

/** Somebody to write to, or a group to open or join. */
export function NewConversation({ people, onOpen, onClose }: NewConversationProps) {
  const chat = useChat()
  const dialog = useRef<HTMLDialogElement>(null)
  const [failure, setFailure] = useState<string>()
  const groups = useLiveList(useMemo(() => chat.groups.list(), [chat])).items
  useEffect(() => dialog.current?.showModal(), [])
  const openGroup = async (guid: string, hasJoined: boolean | undefined) => {
    try {
      if (!hasJoined) await chat.groups.join(guid)
      onOpen({ receiver: guid, receiverType: 'group' })
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <dialog ref={dialog} className="choice" onClose={onClose} aria-label="New conversation">
      <h2>Write to</h2>
      <ul>
        {people.map(({ uid, name, statusMessage }) => (
          <li key={uid}>
            <button type="button" onClick={() => onOpen({ receiver: uid, receiverType: 'user' })}>
              <b>{name}</b>
              <span>{statusMessage}</span>
            </button>
          </li>
        ))}
      </ul>
      <h2>Groups</h2>
      <ul>
        {groups.map(({ guid, name, hasJoined, membersCount }) => (
          <li key={guid}>
            <button type="button" onClick={() => void openGroup(guid, hasJoined)}>
              <b>{name}</b>
              <span>{hasJoined ? `${membersCount} members` : 'Join'}</span>
            </button>
          </li>
        ))}
      </ul>
      {failure && <p role="alert">{failure}</p>}
      <button type="button" onClick={onClose}>
        Close
      </button>
    </dialog>
  )
}
