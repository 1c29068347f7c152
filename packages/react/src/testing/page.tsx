// Before React, which looks for it when it is loaded.
import './render-counts.ts'
import { type Chat, createChat, type Target } from '@chorale/sdk'
import { createRoot } from 'react-dom/client'
import {
  ChatProvider,
  ChatScreen,
  type ChatScreenProps,
  ConversationProvider,
  MessageList,
} from '../index.ts'
import { arabic } from './arabic.ts'
import { MadeMessages } from './made-messages.ts'
import { markedSlots, type SlotLayer } from './marked-slots.tsx'
import { takeRenderCounts } from './render-counts.ts'

// What tests open in a browser: `globalThis.page` is driven from outside.

export interface PageOptions extends ChatScreenProps {
  readonly url: string
  readonly appId: string
  readonly authToken: string
  readonly isArabic?: boolean
  readonly hasUploads?: boolean
  /** The slots to replace by their names. */
  readonly marked?: SlotLayer
}

const root = createRoot(document.getElementById('root') ?? document.body)
let chat: Chat | undefined
let shown = 0

function open({ url, appId, authToken }: Pick<PageOptions, 'url' | 'appId' | 'authToken'>): Chat {
  chat = createChat({ url, appId, authToken })
  return chat
}

/** Nobody listens there. */
const nowhere = { url: 'ws://127.0.0.1:9/v3/realtime', appId: 'none', authToken: 'none' }

const uploadFile = async (file: File) => ({
  url: `https://example.org/files/${encodeURIComponent(file.name)}`,
  name: file.name,
  mimeType: file.type,
  size: file.size,
})

const page = {
  takeRenderCounts,
  /** The whole screen, as an application shows it. */
  showScreen(options: PageOptions): void {
    const { isArabic, hasUploads, marked, initial, theme, dir } = options
    document.documentElement.lang = isArabic ? 'ar' : 'en'
    root.render(
      <ChatProvider
        chat={open(options)}
        {...(isArabic ? { strings: arabic, locale: 'ar' } : { locale: 'en' })}
        {...(hasUploads && { uploadFile })}
        {...(marked && { components: markedSlots(marked) })}
      >
        <ChatScreen {...(initial && { initial })} {...(theme && { theme })} {...(dir && { dir })} />
      </ChatProvider>,
    )
  },
  /** A list of messages that this page has made; it needs no service. */
  showMade(count: number): void {
    const list = new MadeMessages(count)
    const target: Target = { receiver: 'bob', receiverType: 'user' }
    root.render(
      <ChatProvider chat={chat ?? open(nowhere)} locale="en">
        <div className="chorale chorale-screen">
          <ConversationProvider key={++shown} target={target}>
            <MessageList target={target} list={list} />
          </ConversationProvider>
        </div>
      </ChatProvider>,
    )
    page.made = list
  },
  made: undefined as MadeMessages | undefined,
  get chat(): Chat | undefined {
    return chat
  },
}

export type TestPage = typeof page

Object.assign(globalThis, { page })
