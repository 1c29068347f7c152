import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useApp } from '../app/session.tsx'
import { settings } from '../strings/developers.ts'
import { common } from '../strings/frame.ts'
import { Loaded } from '../ui/loaded.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Problem } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'
import { toast } from '../ui/toast.tsx'

type Value = boolean | number | readonly string[]

export function Page() {
  const { appId, client, may } = useApp()
  const queryClient = useQueryClient()
  const queryKey = [appId, 'settings']
  const params = { appId }
  const found = useQuery({ queryKey, queryFn: () => client.listAppSettings({ params }) })
  const onSuccess = () => {
    toast(settings.saved)
    return queryClient.invalidateQueries({ queryKey })
  }
  const set = useMutation({
    mutationFn: (wanted: Record<string, Value>) =>
      client.mapAppSettings({ params, body: { settings: wanted } }),
    onSuccess,
  })
  const reset = useMutation({
    mutationFn: (name: string) => client.unmapAppSettings({ params, body: { settings: [name] } }),
    onSuccess,
  })
  const mayChange = may('settings.write')
  const error = set.error ?? reset.error
  return (
    <>
      <PageHead title={settings.title} about={settings.about} />
      {error && <Problem error={error} />}
      <Loaded query={found}>
        {({ data }) => (
          <Table
            label={settings.title}
            head={[settings.name, settings.meaning, settings.value, settings.reset]}
            rows={Object.entries(data).map(([name, value]) => ({
              key: name,
              cells: [
                <code key="name">{name}</code>,
                settings.meanings[name] ?? '',
                <Setting
                  key={`value ${String(value)}`}
                  name={name}
                  value={value}
                  disabled={!mayChange}
                  onSet={(wanted) => set.mutate({ [name]: wanted })}
                />,
                mayChange && (
                  <button
                    key="reset"
                    type="button"
                    className="plain"
                    aria-label={`${settings.reset}: ${name}`}
                    onClick={() => reset.mutate(name)}
                  >
                    {settings.reset}
                  </button>
                ),
              ],
            }))}
          />
        )}
      </Loaded>
    </>
  )
}

interface SettingProps {
  readonly name: string
  readonly value: Value
  readonly disabled: boolean
  readonly onSet: (value: Value) => void
}

/** A switch takes effect at once; a number or a list when it is saved. */
function Setting({ name, value, disabled, onSet }: SettingProps) {
  const [text, setText] = useState(String(value))
  if (typeof value === 'boolean') {
    return (
      <input
        type="checkbox"
        aria-label={name}
        checked={value}
        disabled={disabled}
        onChange={({ target }) => onSet(target.checked)}
      />
    )
  }
  const isNumber = typeof value === 'number'
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const list = text.split(',').map((one) => one.trim())
    onSet(isNumber ? Number(text) : list.filter(Boolean))
  }
  return (
    <form className="inline" onSubmit={submit}>
      <input
        aria-label={name}
        type={isNumber ? 'number' : 'text'}
        min={0}
        value={text}
        disabled={disabled}
        onChange={({ target }) => setText(target.value)}
      />
      {text !== String(value) && <button type="submit">{common.save}</button>}
    </form>
  )
}
