import type { PageEntry } from '../app/page-entry.ts'
import { queue, reviewed } from '../strings/moderation.ts'
import { lists, reasons, rules } from '../strings/rules.ts'

export const moderationPages: readonly PageEntry[] = [
  {
    path: 'moderation/queue',
    title: queue.title,
    permission: 'moderation.decide',
    load: () => import('./queue-page.tsx'),
  },
  {
    path: 'moderation/decisions',
    title: reviewed.title,
    permission: 'moderation.queue',
    load: () => import('./reviewed-page.tsx'),
  },
  {
    path: 'moderation/rules',
    title: rules.title,
    permission: 'moderation.read',
    load: () => import('./rules-page.tsx'),
  },
  {
    path: 'moderation/lists',
    title: lists.title,
    permission: 'moderation.read',
    load: () => import('./lists-page.tsx'),
  },
  {
    path: 'moderation/reasons',
    title: reasons.title,
    permission: 'moderation.read',
    load: () => import('./reasons-page.tsx'),
  },
]
