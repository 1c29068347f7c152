import { groups } from '../navigation.ts'
import { frame } from '../strings/frame.ts'
import { navigate, usePlace } from './router.tsx'
import { useOwnApps } from './session.tsx'
import type { OpenApp } from './use-open-app.ts'

/** The same page of another app, or the first that the person may see there. */
export function AppSwitcher({ open }: { readonly open: OpenApp['app'] }) {
  const { path } = usePlace()
  const { data } = useOwnApps()
  const apps = data?.data ?? []
  const isListed = open === undefined || apps.some(({ id }) => id === open.id)
  const page = /^\/apps\/[^/]+\/(.*)$/.exec(path)?.[1]
  const go = (appId: string) => {
    const allowed = apps.find(({ id }) => id === appId)?.permissions ?? []
    const pages = groups.flatMap((group) => group.pages)
    const known = pages.find((entry) => page === entry.path || page?.startsWith(`${entry.path}/`))
    const stays = known && allowed.includes(known.permission)
    navigate(appId === '' ? '/' : `/apps/${appId}${stays ? `/${known.path}` : ''}`)
  }
  return (
    <div className="switcher">
      <select
        aria-label={frame.app}
        value={open?.id ?? ''}
        onChange={(event) => go(event.target.value)}
      >
        <option value="">{frame.allApps}</option>
        {!isListed && open && <option value={open.id}>{open.name}</option>}
        {apps.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}
