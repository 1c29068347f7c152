import type { PageEntry } from '../app/page-entry.ts'

export const supportPages: readonly PageEntry[] = []
