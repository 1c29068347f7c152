import { type ReactNode, useEffect, useId, useRef } from 'react'
import { common } from '../strings/frame.ts'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** The browser keeps the focus in it, and closes it with Escape. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  const close = () => {
    // React removes it in the same step when the person has closed it.
    if (ref.current?.isConnected) onClose()
  }
  return (
    <dialog ref={ref} aria-labelledby={id} onCancel={close}>
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" className="plain" aria-label={common.close} onClick={close}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  )
}
