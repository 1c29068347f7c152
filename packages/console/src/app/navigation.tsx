import { groups } from '../navigation.ts'
import { frame } from '../strings/frame.ts'
import type { PageEntry } from './page-entry.ts'
import { Link, usePlace } from './router.tsx'
import { useSelf } from './session.tsx'
import type { OpenApp } from './use-open-app.ts'

/** Where an entry leads; undefined: the person may not, or it is about an app and none is open. */
export function placeOf(
  { scope = 'app', path, permission }: PageEntry,
  app: OpenApp['app'],
  ofInstall: readonly string[],
): string | undefined {
  if (scope === 'install') return ofInstall.includes(permission) ? `/install/${path}` : undefined
  return app?.permissions.includes(permission) ? `/apps/${app.id}/${path}` : undefined
}

export function Navigation({ app }: { readonly app: OpenApp['app'] }) {
  const { path } = usePlace()
  const { permissions } = useSelf()
  const shown = groups.map(({ title, pages }) => ({
    title,
    links: pages.flatMap((page) => {
      const to = placeOf(page, app, permissions)
      return to === undefined ? [] : [{ to, title: page.title }]
    }),
  }))
  const isAt = (to: string) => path === to || path.startsWith(`${to}/`)
  return (
    <div>
      <ul>
        <li>
          <Link to="/" aria-current={path === '/' ? 'page' : undefined}>
            {frame.apps}
          </Link>
        </li>
      </ul>
      {shown.map(({ title, links }) =>
        links.length === 0 ? null : (
          <section key={title}>
            <h2>{title}</h2>
            <ul>
              {links.map(({ to, title: name }) => (
                <li key={to}>
                  <Link to={to} aria-current={isAt(to) ? 'page' : undefined}>
                    {name}
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ),
      )}
    </div>
  )
}
