import type { Chat, Group, Live, Target } from '@chorale/sdk'
import { useEffect, useMemo, useState } from 'react'
import { useLive } from '../hooks/live.ts'
import { useUser } from '../people/use-user.ts'
import { useChatContext } from '../provider/context.ts'

export interface ConversationInfo {
  readonly name: string
  readonly image: string | undefined
  /** Of a group. */
  readonly membersCount: number | undefined
}

/** Whom a conversation is with: from the list of conversations, or read. */
export function useConversationInfo({ receiver, receiverType }: Target): ConversationInfo {
  const { chat, onError } = useChatContext()
  const live = useMemo(
    () => knownInfo(chat, { receiver, receiverType }),
    [chat, receiver, receiverType],
  )
  const known = useLive(live)
  const user = useUser(known || receiverType === 'group' ? undefined : receiver)
  const [group, setGroup] = useState<Group>()
  const isAsked = !known && receiverType === 'group' && group?.guid !== receiver
  useEffect(() => {
    if (isAsked) chat.groups.get(receiver).then(setGroup, onError)
  }, [isAsked, chat, receiver, onError])
  if (known) return known
  const read = group?.guid === receiver ? group : undefined
  return {
    name: user?.name ?? read?.name ?? receiver,
    image: user?.avatar ?? read?.icon,
    membersCount: read?.membersCount,
  }
}

/** The same object while nothing of it changes, whatever else happens in the list. */
function knownInfo(
  chat: Chat,
  { receiver, receiverType }: Target,
): Live<ConversationInfo | undefined> {
  const list = chat.conversations()
  let shown: ConversationInfo | undefined
  return {
    subscribe: list.subscribe,
    getSnapshot() {
      const { items } = list.getSnapshot()
      const item = items.find(
        (one) => one.receiver === receiver && one.receiverType === receiverType,
      )
      if (!item) return shown
      const { name, user, group } = item
      const image = user?.avatar ?? group?.icon
      const membersCount = group?.membersCount
      const isSame =
        shown?.name === name && shown.image === image && shown.membersCount === membersCount
      if (!isSame) shown = { name, image, membersCount }
      return shown
    },
  }
}
