import { ChatProvider, ChatScreen, type ChatScreenProps } from '@chorale/react'
import type { Chat, Target } from '@chorale/sdk'
import { useEffect, useState } from 'react'
import { NewConversation } from './new-conversation.tsx'
import { openChat, type Person, targetIn } from './session.ts'

type Theme = NonNullable<ChatScreenProps['theme']>

interface PersonScreenProps {
  readonly uid: string
  readonly people: readonly Person[]
  readonly asked: URLSearchParams
}

/** The chat as one person sees it. */
export function PersonScreen({ uid, people, asked }: PersonScreenProps) {
  const [chat, setChat] = useState<Chat>()
  const [failure, setFailure] = useState<string>()
  const [theme, setTheme] = useState(initialTheme)
  const [opened, setOpened] = useState(() => targetIn(asked))
  const [isChoosing, setIsChoosing] = useState(false)
  useEffect(() => {
    const opening = openChat(uid)
    opening.then(setChat, (error: unknown) => setFailure(String(error)))
    return () => void opening.then((open) => open.close()).catch(() => undefined)
  }, [uid])
  const open = (target: Target) => {
    setIsChoosing(false)
    setOpened(target)
  }
  const name = people.find((person) => person.uid === uid)?.name ?? uid
  const isAlone = asked.get('as') !== null
  return (
    <section className="chorale person" data-theme={theme} aria-label={name}>
      <header className="bar">
        <strong>{name}</strong>
        <button type="button" disabled={!chat} onClick={() => setIsChoosing(true)}>
          New conversation
        </button>
        <button type="button" onClick={() => setTheme(toggle)}>
          {theme === 'dark' ? 'Light' : 'Dark'}
        </button>
        {isAlone && <a href={bothSides(uid, people)}>Both sides</a>}
        <a href="/demo">Sign out</a>
      </header>
      {failure && <p role="alert">{failure}</p>}
      {chat && (
        <ChatProvider chat={chat}>
          {isChoosing && (
            <NewConversation
              people={people.filter((person) => person.uid !== uid)}
              onOpen={open}
              onClose={() => setIsChoosing(false)}
            />
          )}
          <ChatScreen
            key={opened ? `${opened.receiverType}/${opened.receiver}` : ''}
            theme={theme}
            {...(opened && { initial: opened })}
          />
        </ChatProvider>
      )}
    </section>
  )
}

function initialTheme(): Theme {
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

function toggle(theme: Theme): Theme {
  return theme === 'dark' ? 'light' : 'dark'
}

function bothSides(uid: string, people: readonly Person[]): string {
  const other = people.find((person) => person.uid !== uid)
  return `?left=${uid}&right=${other?.uid ?? uid}&group=concert`
}
