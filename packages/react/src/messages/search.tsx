import type { Message, Target } from '@chorale/sdk'
import { useId, useState } from 'react'
import { useSearch } from '../hooks/search.ts'
import { useFormat, useSlot, useStrings } from '../provider/context.ts'
import { Icon } from '../provider/icon.tsx'
import { plainText, senderName } from './message-parts.ts'

export interface SearchProps {
  /** Only in this conversation. */
  readonly target?: Target | undefined
  readonly onSelect: (message: Message) => void
}

/** A field for words, and the messages that have them. */
export function Search({ target, onSelect }: SearchProps) {
  const strings = useStrings()
  const [words, setWords] = useState('')
  const { results, status } = useSearch(words, target)
  const Result = useSlot('SearchResult', SearchResult)
  const field = useId()
  return (
    <search className="chorale chorale-search">
      <label className="chorale-search-field" htmlFor={field}>
        <Icon name="search" />
        <span className="chorale-hidden">{strings.searchMessages}</span>
        <input
          id={field}
          type="search"
          value={words}
          placeholder={strings.searchMessages}
          onChange={({ target: { value } }) => setWords(value)}
        />
      </label>
      <p className="chorale-search-status" role="status">
        {status === 'ready' && strings.results(results.length)}
        {status === 'loading' && strings.loading}
        {status === 'failed' && strings.loadFailed}
      </p>
      <ul>
        {results.map((message) => (
          <li key={message.id}>
            <button type="button" className="chorale-result" onClick={() => onSelect(message)}>
              <Result message={message} words={words} />
            </button>
          </li>
        ))}
      </ul>
    </search>
  )
}

interface SearchResultProps {
  readonly message: Message
  readonly words: string
}

export function SearchResult({ message, words }: SearchResultProps) {
  const format = useFormat()
  return (
    <>
      <b>
        <bdi>{senderName(message)}</bdi>
      </b>
      <time dateTime={new Date(message.sentAt * 1000).toISOString()}>
        {format.short(message.sentAt)}
      </time>
      <span>
        <bdi>{marked(plainText(message.data), words)}</bdi>
      </span>
    </>
  )
}

/** The text with the searched words marked. */
function marked(text: string, words: string) {
  const parts = words
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (parts.length === 0) return text
  const escaped = parts.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const wanted = new RegExp(`(${escaped.join('|')})`, 'giu')
  return text.split(wanted).map((part, place) => {
    // Every second part is a match; a part has no other name than its place.
    const key = `${place}`
    return place % 2 === 1 ? <mark key={key}>{part}</mark> : <span key={key}>{part}</span>
  })
}
