import { Component, type ReactNode } from 'react'
import { common } from '../strings/frame.ts'

interface Props {
  readonly children: ReactNode
}

/** A page that fails leaves the rest of the console as it is. */
export class ErrorBoundary extends Component<Props, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true }
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children
    return (
      <div role="alert" className="note" data-kind="error">
        <strong>{common.crashed}</strong>
        <p>{common.crashedText}</p>
        <button type="button" onClick={() => location.reload()}>
          {common.reload}
        </button>
      </div>
    )
  }
}
