import type { PageEntry } from '../app/page-entry.ts'

export const operatorPages: readonly PageEntry[] = []
