import { type ComponentType, lazy, Suspense, useEffect, useRef } from 'react'
import { AccountPage } from '../account/account-page.tsx'
import { AppPage } from '../home/app-page.tsx'
import { AppsPage } from '../home/apps-page.tsx'
import { groups } from '../navigation.ts'
import { frame } from '../strings/frame.ts'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { NotFound, Problem } from '../ui/problem.tsx'
import { Waiting } from '../ui/waiting.tsx'
import type { PageEntry, PageProps } from './page-entry.ts'
import { usePlace } from './router.tsx'
import { AppContext, scopeOf, useSelf } from './session.tsx'
import type { OpenApp } from './use-open-app.ts'

interface Route {
  readonly entry: PageEntry
  readonly Page: ComponentType<PageProps>
}

const routes: readonly Route[] = groups.flatMap(({ pages }) =>
  pages.map((entry) => ({
    entry,
    Page: lazy(async () => ({ default: (await entry.load()).Page })),
  })),
)

/** What the address names. */
export function PageView({ open }: { readonly open: OpenApp }) {
  const { path } = usePlace()
  useTitleAndFocus(path)
  return (
    <ErrorBoundary key={path}>
      <Suspense fallback={<Waiting />}>
        <Shown path={path} open={open} />
      </Suspense>
    </ErrorBoundary>
  )
}

function Shown({ path, open }: { readonly path: string; readonly open: OpenApp }) {
  const { permissions } = useSelf()
  if (path === '/') return <AppsPage />
  if (path === '/account') return <AccountPage />
  const inInstall = /^\/install\/(.+)$/.exec(path)?.[1]
  if (inInstall !== undefined)
    return <RoutePage path={inInstall} scope="install" allowed={permissions} />
  if (open.appId === '') return <NotFound />
  if (open.isWaiting) return <Waiting />
  if (open.error) return <Problem error={open.error} onRetry={() => void open.refetch()} />
  if (!open.app) return <NotFound text={frame.noSuchApp(open.appId)} />
  const inApp = path.slice(`/apps/${open.appId}/`.length)
  return (
    <AppContext value={scopeOf(open.app)}>
      {inApp === '' ? (
        <AppPage />
      ) : (
        <RoutePage path={inApp} scope="app" allowed={open.app.permissions} />
      )}
    </AppContext>
  )
}

interface RoutePageProps {
  readonly path: string
  readonly scope: 'app' | 'install'
  readonly allowed: readonly string[]
}

function RoutePage({ path, scope, allowed }: RoutePageProps) {
  const isAt = ({ entry }: Route) =>
    (entry.scope ?? 'app') === scope && (path === entry.path || path.startsWith(`${entry.path}/`))
  // The longest: `webhooks/log` is no `webhooks`.
  const route = routes.filter(isAt).toSorted((a, b) => b.entry.path.length - a.entry.path.length)[0]
  if (!route) return <NotFound />
  const { entry, Page } = route
  if (!allowed.includes(entry.permission)) {
    return <NotFound text={frame.notAllowed(entry.title, entry.permission)} />
  }
  const rest = path.slice(entry.path.length).split('/').filter(Boolean).map(decodeURIComponent)
  return <Page rest={rest} />
}

/** Whoever cannot see the page hears where they are. */
function useTitleAndFocus(path: string): void {
  const isFirst = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs whenever the path changes.
  useEffect(() => {
    if (isFirst.current) isFirst.current = false
    else document.querySelector<HTMLElement>('#page')?.focus()
    window.scrollTo(0, 0)
  }, [path])
}
