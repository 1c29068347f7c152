import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useRef } from 'react'
import type { PageProps } from '../app/page-entry.ts'
import { Link } from '../app/router.tsx'
import { useApp } from '../app/session.tsx'
import { sendAsApp, userPage } from '../strings/support.ts'
import { Field, TextField } from '../ui/field.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Problem } from '../ui/problem.tsx'
import { timelinePlace } from './places.ts'

/** A message of the app itself. */
export function Page({ rest: [receiver] }: PageProps) {
  const { appId, client, may } = useApp()
  const form = useRef<HTMLFormElement>(null)
  const send = useMutation({
    mutationFn: async (to: { receiver: string; receiverType: 'user' | 'group'; text: string }) => {
      const { text, ...whom } = to
      const { data } = await client.sendMessage({ body: { ...whom, type: 'text', data: { text } } })
      return 'id' in data ? String(data.id) : ''
    },
    onSuccess: () => form.current?.reset(),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const field = (name: string) => String(fields.get(name))
    const receiverType = field('receiverType') === 'group' ? 'group' : 'user'
    send.mutate({ receiver: field('receiver').trim(), receiverType, text: field('text') })
  }
  return (
    <>
      <PageHead title={sendAsApp.title} about={sendAsApp.about} />
      <form ref={form} onSubmit={submit}>
        <Field label={sendAsApp.to}>
          {(props) => (
            <select {...props} name="receiverType">
              <option value="user">{sendAsApp.user}</option>
              <option value="group">{sendAsApp.group}</option>
            </select>
          )}
        </Field>
        <TextField
          label={sendAsApp.receiver}
          name="receiver"
          defaultValue={receiver}
          required
          maxLength={100}
        />
        <Field label={sendAsApp.text}>
          {(props) => <textarea {...props} name="text" required maxLength={5000} />}
        </Field>
        {send.error && <Problem error={send.error} />}
        <div className="actions">
          <button type="submit" className="primary" disabled={send.isPending}>
            {sendAsApp.send}
          </button>
        </div>
      </form>
      {send.data !== undefined && (
        <div role="status" className="note">
          <strong>{sendAsApp.sent}</strong>
          {may('logs.read') && (
            <p>
              {sendAsApp.sentText}{' '}
              <Link to={timelinePlace(appId, send.data)}>{userPage.timeline(send.data)}</Link>
            </p>
          )}
        </div>
      )}
    </>
  )
}
