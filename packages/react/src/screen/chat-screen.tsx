import type { ChatMessage, Target } from '@chorale/sdk'
import { useCallback, useMemo, useState } from 'react'
import { ConnectionBanner } from '../conversations/connection-banner.tsx'
import { ConversationList } from '../conversations/conversation-list.tsx'
import { useSlot, useStrings } from '../provider/context.ts'
import { Empty } from '../provider/empty.tsx'
import { Icon } from '../provider/icon.tsx'
import { Aside, type Shown } from './aside.tsx'
import { ConversationView } from './conversation-view.tsx'

export interface ChatScreenProps {
  /** The conversation that is open at first. */
  readonly initial?: Target
  /** That of the system unless given. */
  readonly theme?: 'light' | 'dark'
  /** That of the page unless given. */
  readonly dir?: 'ltr' | 'rtl'
}

/** Conversations, messages, threads, members and search, as one screen. It fills its parent. */
export function ChatScreen({ initial, theme, dir }: ChatScreenProps) {
  const [target, setTarget] = useState(initial)
  const [shown, setShown] = useState<Shown>()
  const strings = useStrings()
  const Banner = useSlot('ConnectionBanner', ConnectionBanner)
  const None = useSlot('Empty', Empty)
  const select = useCallback((chosen: Target) => {
    setTarget(chosen)
    setShown(undefined)
  }, [])
  const openThread = useCallback(
    (message: ChatMessage) => setShown({ kind: 'thread', message }),
    [],
  )
  const back = useCallback(() => setTarget(undefined), [])
  const receiverType = target?.receiverType
  const buttons = useMemo(
    () => <HeaderButtons isGroup={receiverType === 'group'} onOpen={setShown} />,
    [receiverType],
  )
  const aside = target && shown && (
    <Aside shown={shown} target={target} onClose={() => setShown(undefined)} />
  )
  return (
    <div
      className="chorale chorale-screen"
      data-theme={theme}
      data-open={target ? 'conversation' : 'list'}
      data-aside={shown?.kind}
      dir={dir}
    >
      <Banner />
      <div className="chorale-panes">
        <ConversationList selected={target} onSelect={select} />
        {target ? (
          <ConversationView target={target} onBack={back} onOpenThread={openThread} aside={aside}>
            {buttons}
          </ConversationView>
        ) : (
          <main className="chorale-view">
            <None text={strings.chooseConversation} />
          </main>
        )}
      </div>
    </div>
  )
}

interface HeaderButtonsProps {
  readonly isGroup: boolean
  readonly onOpen: (shown: Shown) => void
}

function HeaderButtons({ isGroup, onOpen }: HeaderButtonsProps) {
  const strings = useStrings()
  return (
    <>
      <button
        type="button"
        className="chorale-button"
        aria-label={strings.search}
        onClick={() => onOpen({ kind: 'search' })}
      >
        <Icon name="search" />
      </button>
      {isGroup && (
        <button
          type="button"
          className="chorale-button"
          aria-label={strings.members}
          onClick={() => onOpen({ kind: 'members' })}
        >
          <Icon name="people" />
        </button>
      )}
    </>
  )
}
