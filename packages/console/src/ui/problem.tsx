import { ChoraleError } from '@chorale/sdk'
import type { ReactNode } from 'react'
import { advice, common, offline } from '../strings/frame.ts'
import { PageHead } from './page-head.tsx'

/** What to tell a person of an error. */
export function textOf(error: unknown): string {
  if (!(error instanceof ChoraleError)) return offline
  return advice[error.code] ?? error.message
}

interface ProblemProps {
  readonly error: unknown
  readonly onRetry?: () => void
}

/** An error, and a way on. */
export function Problem({ error, onRetry }: ProblemProps) {
  return (
    <div role="alert" className="note" data-kind="error">
      <strong>{common.failed}</strong>
      <p>{textOf(error)}</p>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          {common.retry}
        </button>
      )}
    </div>
  )
}

interface EmptyProps {
  readonly title: string
  /** What to do. */
  readonly children?: ReactNode
}

export function Empty({ title, children }: EmptyProps) {
  return (
    <div className="note" data-kind="empty">
      <strong>{title}</strong>
      {typeof children === 'string' ? <p>{children}</p> : children}
    </div>
  )
}

export function NotFound({ text = common.notFoundText }: { readonly text?: string }) {
  return (
    <>
      <PageHead title={common.notFound} />
      <Empty title={text} />
    </>
  )
}
