import type { Reason } from '@chorale/contract/moderation'
import { writtenAt } from '../rules/index.ts'

const times = { createdAt: writtenAt, updatedAt: writtenAt }

/** The reasons that every app has. */
export const defaultReasons: ReadonlyMap<string, Reason> = new Map(
  [
    { id: 'spam', name: 'Spam', description: 'Unwanted, repeated or misleading.', ...times },
    { id: 'sexual', name: 'Sexual content', description: 'Not meant for this place.', ...times },
    { id: 'harassment', name: 'Harassment', description: 'Threatens or humiliates.', ...times },
  ].map((reason) => [reason.id, reason]),
)
