import type { PageEntry } from '../app/page-entry.ts'

export const developerPages: readonly PageEntry[] = []
