import { useState } from 'react'
import { queue } from '../../strings/moderation.ts'
import { Dialog } from '../../ui/dialog.tsx'

export function KeyHelp() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {queue.helpTitle}
      </button>
      {isOpen && (
        <Dialog title={queue.helpTitle} onClose={() => setOpen(false)}>
          <dl className="facts">
            {queue.help.map(([key, text]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
        </Dialog>
      )}
    </>
  )
}
