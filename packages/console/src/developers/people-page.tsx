import type { OperationOutputs } from '@chorale/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useApp, useSelf } from '../app/session.tsx'
import { people } from '../strings/developers.ts'
import { common } from '../strings/frame.ts'
import { ConfirmButton } from '../ui/confirm-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, TextField } from '../ui/field.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Empty, Problem } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'

/** How a call names the people of a role. */
const fieldOf = {
  viewer: 'viewers',
  support: 'support',
  moderator: 'moderators',
  developer: 'developers',
  owner: 'owners',
} as const
type Role = keyof typeof fieldOf
const roles: readonly Role[] = ['viewer', 'support', 'moderator', 'developer', 'owner']

/** Who has a role in the app. */
export function Page() {
  const { appId, client, may } = useApp()
  const queryClient = useQueryClient()
  const queryKey = [appId, 'collaborators']
  const [isOpen, setOpen] = useState(false)
  const params = { appId }
  const found = useQuery({ queryKey, queryFn: () => client.listCollaborators({ params }) })
  const change = useMutation({
    mutationFn: async (body: Readonly<Record<string, readonly string[]>>) => {
      const { data } = await client.updateCollaborators({ params, body })
      const outcomes = Object.values(data).flatMap((one) => Object.values(one))
      const refused = outcomes.find(({ success }) => !success)
      if (refused) throw new Error(refused.error?.message ?? '')
    },
    onSuccess: () => {
      toast(people.saved)
      setOpen(false)
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey }),
  })
  const mayChange = may('collaborators.write')
  return (
    <>
      <PageHead title={people.title} about={people.about}>
        {mayChange && (
          <button type="button" className="primary" onClick={() => setOpen(true)}>
            {people.invite}
          </button>
        )}
      </PageHead>
      {change.error && !isOpen && <Refusal error={change.error} />}
      {isOpen && (
        <Invite
          error={change.error}
          onInvite={(role, email) => change.mutate({ [fieldOf[role]]: [email] })}
          onClose={() => setOpen(false)}
        />
      )}
      <Loaded query={found}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={people.none}>{people.noneText}</Empty>
          ) : (
            <People all={data} mayChange={mayChange} onChange={change.mutate} />
          )
        }
      </Loaded>
    </>
  )
}

interface PeopleProps {
  readonly all: OperationOutputs['listCollaborators']['data']
  readonly mayChange: boolean
  readonly onChange: (body: Readonly<Record<string, readonly string[]>>) => void
}

/** Nobody changes their own role. */
function People({ all, mayChange, onChange }: PeopleProps) {
  const self = useSelf()
  return (
    <Table
      label={people.title}
      head={[people.name, people.email, people.role, people.since, common.remove]}
      rows={all.map(({ id, name, email, role, createdAt }) => {
        const isOther = mayChange && email !== self.email
        return {
          key: id,
          cells: [
            name,
            email,
            isOther ? (
              <RoleChoice
                key={role}
                label={people.roleOf(email)}
                value={role}
                onChange={(wanted) => onChange({ [fieldOf[wanted]]: [email] })}
              />
            ) : (
              people.roles[role]
            ),
            <Time key="time" at={createdAt} />,
            isOther && (
              <ConfirmButton
                key="remove"
                label={common.remove}
                onConfirm={() => onChange({ collaboratorsToRemove: [email] })}
              >
                {people.removeText(email)}
              </ConfirmButton>
            ),
          ],
        }
      })}
    />
  )
}

/** The service answers for each address why it was refused. */
function Refusal({ error }: { readonly error: Error }) {
  return error.constructor === Error ? (
    <p role="alert">{error.message}</p>
  ) : (
    <Problem error={error} />
  )
}

interface RoleChoiceProps {
  /** Where there is no label of its own. */
  readonly label?: string
  readonly id?: string
  readonly 'aria-describedby'?: string
  readonly value: Role
  readonly onChange: (role: Role) => void
}

function RoleChoice({ label, value, onChange, ...props }: RoleChoiceProps) {
  const choose = (wanted: string) => {
    const role = roles.find((one) => one === wanted)
    if (role) onChange(role)
  }
  return (
    <select
      {...props}
      aria-label={label}
      value={value}
      onChange={({ target }) => choose(target.value)}
    >
      {roles.map((role) => (
        <option key={role} value={role}>
          {people.roles[role]}
        </option>
      ))}
    </select>
  )
}

interface InviteProps {
  readonly error: Error | null
  readonly onInvite: (role: Role, email: string) => void
  readonly onClose: () => void
}

function Invite({ error, onInvite, onClose }: InviteProps) {
  const [role, setRole] = useState<Role>('moderator')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    onInvite(role, String(new FormData(event.currentTarget).get('email')))
  }
  return (
    <Dialog title={people.invite} onClose={onClose}>
      <form onSubmit={submit}>
        <TextField label={people.email} name="email" type="email" required />
        <Field label={people.role} hint={people.roleHint}>
          {(props) => <RoleChoice {...props} value={role} onChange={setRole} />}
        </Field>
        <p className="hint">{people.inviteText}</p>
        {error && <Refusal error={error} />}
        <div className="actions">
          <button type="submit" className="primary">
            {people.add}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
