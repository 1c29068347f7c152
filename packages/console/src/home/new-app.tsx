import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { clientOf } from '../app/client.ts'
import { navigate } from '../app/router.tsx'
import { apps, common } from '../strings/frame.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Field, TextField } from '../ui/field.tsx'
import { Problem } from '../ui/problem.tsx'
import { toast } from '../ui/toast.tsx'

const regions = ['us', 'eu', 'in'] as const

export function NewApp() {
  const queryClient = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const make = useMutation({
    mutationFn: (body: { name: string; region: (typeof regions)[number] }) =>
      clientOf('').createApp({ body }),
    onSuccess: async ({ data: { id, name } }) => {
      await queryClient.invalidateQueries({ queryKey: ['own-apps'] })
      toast(apps.created2(name))
      navigate(`/apps/${id}`)
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const region = regions.find((one) => one === fields.get('region')) ?? 'us'
    make.mutate({ name: String(fields.get('name')), region })
  }
  return (
    <>
      <button type="button" className="primary" onClick={() => setOpen(true)}>
        {apps.create}
      </button>
      {isOpen && (
        <Dialog title={apps.createTitle} onClose={() => setOpen(false)}>
          <form onSubmit={submit}>
            <TextField label={apps.name} name="name" required maxLength={100} autoFocus />
            <Field label={apps.region}>
              {(props) => (
                <select {...props} name="region">
                  {regions.map((region) => (
                    <option key={region}>{region}</option>
                  ))}
                </select>
              )}
            </Field>
            {make.error && <Problem error={make.error} />}
            <div className="actions">
              <button type="submit" className="primary" disabled={make.isPending}>
                {common.create}
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  )
}
