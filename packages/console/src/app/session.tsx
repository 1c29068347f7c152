import type { OperationOutputs } from '@chorale/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createContext, use } from 'react'
import { whileThere } from './activity.ts'
import { clientOf } from './client.ts'
import type { Permission } from './permission.ts'

export type Self = OperationOutputs['getSession']['data']
type OwnApp = OperationOutputs['listOwnApps']['data'][number]

/** Who is signed in. Throws outside of pages that need that. */
export const SelfContext = createContext<Self | undefined>(undefined)

export function useSelf(): Self {
  const self = use(SelfContext)
  if (!self) throw new Error('Nobody is signed in.')
  return self
}

export function useSessionQuery(isWanted: boolean) {
  return useQuery({
    queryKey: ['session'],
    queryFn: () => clientOf('').getSession(),
    select: ({ data }) => data,
    staleTime: 60_000,
    // A role that was given or taken away shows within minutes.
    refetchInterval: whileThere(5 * 60_000),
    enabled: isWanted,
  })
}

/** The apps of the person; `searchKey`: only those whose name or id begins so. */
export function useOwnApps(searchKey = '') {
  return useQuery({
    queryKey: ['own-apps', searchKey],
    queryFn: () =>
      clientOf('').listOwnApps({ query: { perPage: 100, ...(searchKey && { searchKey }) } }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })
}

/** The app that a page is about. */
export interface AppScope {
  readonly app: OwnApp
  readonly may: (permission: Permission) => boolean
}

export const AppContext = createContext<AppScope | undefined>(undefined)

export function useApp() {
  const scope = use(AppContext)
  if (!scope) throw new Error('This page is about no app.')
  return { ...scope, appId: scope.app.id, client: clientOf(scope.app.id) }
}

export function scopeOf(app: OwnApp): AppScope {
  return { app, may: (permission) => app.permissions.includes(permission) }
}
