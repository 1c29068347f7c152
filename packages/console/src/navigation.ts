import type { PageGroup } from './app/page-entry.ts'
import { developerPages } from './developers/pages.ts'
import { moderationPages } from './moderation/pages.ts'
import { operatorPages } from './operators/pages.ts'
import { frame } from './strings/frame.ts'
import { supportPages } from './support/pages.ts'

/** All pages, as the navigation shows them. A page is added in the list of its folder. */
export const groups: readonly PageGroup[] = [
  { title: frame.groups.moderation, pages: moderationPages },
  { title: frame.groups.support, pages: supportPages },
  { title: frame.groups.developers, pages: developerPages },
  { title: frame.groups.operators, pages: operatorPages },
]
