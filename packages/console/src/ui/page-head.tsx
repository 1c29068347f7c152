import { type ReactNode, useEffect } from 'react'
import { frame } from '../strings/frame.ts'

interface PageHeadProps {
  readonly title: string
  readonly about?: ReactNode
  /** Buttons at the end of the line. */
  readonly children?: ReactNode
}

/** The first heading of a page, which is also the title of the window. */
export function PageHead({ title, about, children }: PageHeadProps) {
  useEffect(() => {
    document.title = frame.documentTitle(title)
  }, [title])
  return (
    <header className="page-head">
      <div>
        <h1>{title}</h1>
        {about !== undefined && <p>{about}</p>}
      </div>
      {children !== undefined && <div className="actions">{children}</div>}
    </header>
  )
}
