import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { useUnread } from './chat.ts'

function Badge(): number {
  return useUnread()
}

test('a hook outside a provider says what to do', () => {
  expect(() => renderToString(createElement(Badge))).toThrow(/inside <ChatProvider chat=/)
})
