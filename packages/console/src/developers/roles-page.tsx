import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useApp } from '../app/session.tsx'
import { roles } from '../strings/developers.ts'
import { common } from '../strings/frame.ts'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Problem } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'
import { features } from './features.ts'

/** Which features users of which role may use. */
export function Page() {
  const { appId, client, may } = useApp()
  const queryClient = useQueryClient()
  const queryKey = [appId, 'roles']
  const [isOpen, setOpen] = useState(false)
  const found = useQuery({
    queryKey,
    queryFn: async () => {
      const { data } = await client.listRoles({ query: { perPage: 100 } })
      const query = { perPage: 100 }
      const ofRole = ({ role }: { role: string }) =>
        client.listRestrictedFeatures({ params: { role }, query })
      const denied = await Promise.all(data.map(ofRole))
      return data.map(({ role, name }, nth) => ({
        role,
        name,
        denied: new Set(denied[nth]?.data.map(({ key }) => key.replace(/^u\./, ''))),
      }))
    },
  })
  const change = useMutation({
    mutationFn: ({ role, feature, allow }: Change): Promise<unknown> =>
      allow
        ? client.allowFeatures({ params: { role }, body: { featuresToAllow: [feature] } })
        : client.restrictFeatures({ params: { role }, body: { featuresToRestrict: [feature] } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey }),
  })
  return (
    <>
      <PageHead title={roles.title} about={roles.about}>
        {may('settings.write') && (
          <button type="button" className="primary" onClick={() => setOpen(true)}>
            {roles.create}
          </button>
        )}
      </PageHead>
      {isOpen && <NewRole onClose={() => setOpen(false)} />}
      {change.error && <Problem error={change.error} />}
      <Loaded query={found}>
        {(all) => (
          <Table
            label={roles.matrix}
            head={[roles.feature, ...all.map(({ role }) => role)]}
            rows={features.map((feature) => ({
              key: feature,
              cells: [
                <code key="feature">{feature}</code>,
                ...all.map(({ role, denied }) => (
                  <input
                    key={role}
                    type="checkbox"
                    aria-label={roles.allowed(feature, role)}
                    checked={!denied.has(feature)}
                    disabled={!may('settings.write') || change.isPending}
                    onChange={({ target }) =>
                      change.mutate({ role, feature, allow: target.checked })
                    }
                  />
                )),
              ],
            }))}
          />
        )}
      </Loaded>
    </>
  )
}

interface Change {
  readonly role: string
  readonly feature: string
  readonly allow: boolean
}

function NewRole({ onClose }: { readonly onClose: () => void }) {
  const { appId, client } = useApp()
  const queryClient = useQueryClient()
  const create = useMutation({
    mutationFn: (body: { role: string; name: string }) => client.createRole({ body }),
    onSuccess: () => {
      onClose()
      return queryClient.invalidateQueries({ queryKey: [appId, 'roles'] })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    create.mutate({ role: String(fields.get('role')), name: String(fields.get('name')) })
  }
  return (
    <Dialog title={roles.create} onClose={onClose}>
      <form onSubmit={submit}>
        <TextField label={roles.id} name="role" required />
        <TextField label={roles.name} name="name" required />
        {create.error && <Problem error={create.error} />}
        <div className="actions">
          <button type="submit" className="primary">
            {common.create}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
