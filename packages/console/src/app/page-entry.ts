import type { ComponentType } from 'react'
import type { Permission } from './permission.ts'

export interface PageProps {
  /** What follows the path of the page in the address: ids of what it shows. */
  readonly rest: readonly string[]
}

/** A page, and its entry in the navigation. */
export interface PageEntry {
  /** Below `/console/apps/{appId}/`, or `/console/install/` where `scope` is `install`. */
  readonly path: string
  readonly title: string
  /** Who lacks it does not see the page. */
  readonly permission: Permission
  readonly scope?: 'app' | 'install'
  /** Loaded when it is first opened. */
  readonly load: () => Promise<{ readonly Page: ComponentType<PageProps> }>
}

export interface PageGroup {
  readonly title: string
  readonly pages: readonly PageEntry[]
}
