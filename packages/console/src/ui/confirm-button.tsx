import { type ReactNode, useState } from 'react'
import { common } from '../strings/frame.ts'
import { Dialog } from './dialog.tsx'

interface ConfirmButtonProps {
  readonly label: string
  /** What will happen. */
  readonly children: ReactNode
  readonly onConfirm: () => void
  readonly disabled?: boolean
  /** Read instead of the label where many buttons say the same. */
  readonly name?: string
}

/** Asks before something that cannot be taken back. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { label, children, onConfirm, disabled, name } = props
  const [isAsking, setAsking] = useState(false)
  const confirm = () => {
    setAsking(false)
    onConfirm()
  }
  return (
    <>
      <button
        type="button"
        className="danger"
        disabled={disabled}
        aria-label={name}
        onClick={() => setAsking(true)}
      >
        {label}
      </button>
      {isAsking && (
        <Dialog title={label} onClose={() => setAsking(false)}>
          <div>{children}</div>
          <div className="actions">
            <button type="button" onClick={() => setAsking(false)}>
              {common.cancel}
            </button>
            <button type="button" className="danger" onClick={confirm}>
              {label}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
