import { useState } from 'react'
import { common } from '../strings/frame.ts'
import { Dialog } from '../ui/dialog.tsx'

interface ShownOnceProps {
  readonly title: string
  readonly text: string
  readonly secret: string
  readonly onClose: () => void
}

/** A secret that the person copies now. */
export function ShownOnce({ title, text, secret, onClose }: ShownOnceProps) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(secret)
    setCopied(true)
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <code className="secret">{secret}</code>
      <div className="actions">
        <button type="button" className="primary" onClick={() => void copy()}>
          {isCopied ? common.copied : common.copy}
        </button>
        <button type="button" onClick={onClose}>
          {common.close}
        </button>
      </div>
    </Dialog>
  )
}
