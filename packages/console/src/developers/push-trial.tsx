import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useApp } from '../app/session.tsx'
import { pushTest } from '../strings/push-trial.ts'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Empty, Problem } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'

interface PushTestProps {
  readonly kind: 'fcm' | 'apns'
  readonly providerId: string
}

/** Sends a test push to the devices of a user, and shows what the provider has answered. */
export function PushTest(of: PushTestProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {pushTest.button}
      </button>
      {isOpen && (
        <Dialog title={pushTest.title(of.providerId)} onClose={() => setOpen(false)}>
          <PushTestForm {...of} />
        </Dialog>
      )}
    </>
  )
}

function PushTestForm({ kind, providerId }: PushTestProps) {
  const { client } = useApp()
  const send = useMutation({
    mutationFn: (uid: string) =>
      client.testPushProvider({ params: { kind, providerId }, body: { uid } }),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    send.mutate(String(new FormData(event.currentTarget).get('uid')))
  }
  const devices = send.data?.data
  return (
    <form onSubmit={submit}>
      <TextField label={pushTest.uid} hint={pushTest.uidHint} name="uid" required autoFocus />
      {send.error && <Problem error={send.error} />}
      <div role="status">
        {devices?.length === 0 && <Empty title={pushTest.none}>{pushTest.noneText}</Empty>}
        {devices !== undefined && devices.length > 0 && (
          <Table
            label={pushTest.answers}
            head={[pushTest.device, pushTest.outcome, pushTest.reason]}
            rows={devices.map(({ platform, pushToken, outcome, reason = '' }) => ({
              key: `${platform} ${pushToken}`,
              cells: [
                <span key="device">
                  {platform} <code>{pushToken}</code>
                </span>,
                pushTest.outcomes[outcome],
                reason,
              ],
            }))}
          />
        )}
      </div>
      <div className="actions">
        <button type="submit" className="primary" disabled={send.isPending}>
          {send.isPending ? pushTest.sending : pushTest.send}
        </button>
      </div>
    </form>
  )
}
