import type { Message, Target } from '@chorale/sdk'
import { useEffect, useState } from 'react'
import { useChatContext } from '../provider/context.ts'

export interface SearchState {
  readonly results: readonly Message[]
  readonly status: 'idle' | 'loading' | 'ready' | 'failed'
}

const none: SearchState = { results: [], status: 'idle' }
const pauseMs = 250
const limit = 30

/** Messages with these words, the newest first: of one conversation, or of all. */
export function useSearch(words: string, target?: Target): SearchState {
  const { chat, onError } = useChatContext()
  const [state, setState] = useState(none)
  const { receiver, receiverType } = target ?? {}
  const searchKey = words.trim()
  useEffect(() => {
    if (searchKey === '') return setState(none)
    const stop = new AbortController()
    const { signal } = stop
    const search = async () => {
      setState(({ results }) => ({ results, status: 'loading' }))
      const query = { searchKey, limit, affix: 'prepend', hideDeleted: true } as const
      const { call } = chat.session
      const { data } = await (receiver === undefined
        ? call('listMessages', { query }, { signal })
        : receiverType === 'user'
          ? call('listUserMessages', { params: { uid: receiver }, query }, { signal })
          : call('listGroupMessages', { params: { guid: receiver }, query }, { signal }))
      const found = data.filter((row) => 'id' in row).toReversed()
      if (!signal.aborted) setState({ results: found, status: 'ready' })
    }
    const timer = setTimeout(() => {
      search().catch((error) => {
        if (signal.aborted) return
        setState({ results: [], status: 'failed' })
        onError(error)
      })
    }, pauseMs)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [chat, onError, searchKey, receiver, receiverType])
  return state
}
