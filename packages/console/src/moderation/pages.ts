import type { PageEntry } from '../app/page-entry.ts'

export const moderationPages: readonly PageEntry[] = []
