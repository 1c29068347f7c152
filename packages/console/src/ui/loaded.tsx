import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Problem } from './problem.tsx'
import { Waiting } from './waiting.tsx'

interface LoadedProps<T> {
  readonly query: UseQueryResult<T>
  readonly children: (data: T) => ReactNode
}

/** What a query has found; until then that it is loading, or why it failed. */
export function Loaded<T>({ query, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data)
  if (query.isPending) return <Waiting />
  return <Problem error={query.error} onRetry={() => void query.refetch()} />
}
