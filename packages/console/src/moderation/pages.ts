import type { PageEntry } from '../app/page-entry.ts'
import { queue, reviewed } from '../strings/moderation.ts'

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
]
