import type { PageEntry } from '../app/page-entry.ts'
import { conversation, findUsers, sendAsApp, timeline } from '../strings/support.ts'

export const supportPages: readonly PageEntry[] = [
  {
    path: 'support/users',
    title: findUsers.title,
    permission: 'logs.read',
    load: () => import('./find-users-page.tsx'),
  },
  {
    path: 'support/conversations',
    title: conversation.title,
    permission: 'messages.read',
    load: () => import('./conversation-page.tsx'),
  },
  {
    path: 'support/messages',
    title: timeline.title,
    permission: 'logs.read',
    load: () => import('./timeline-page.tsx'),
  },
  {
    path: 'support/send',
    title: sendAsApp.title,
    permission: 'messages.send',
    load: () => import('./send-page.tsx'),
  },
]
