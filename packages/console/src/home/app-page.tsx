import { placeOf } from '../app/navigation.tsx'
import { Link } from '../app/router.tsx'
import { useApp } from '../app/session.tsx'
import { groups } from '../navigation.ts'
import { apps } from '../strings/frame.ts'
import { PageHead } from '../ui/page-head.tsx'
import { Empty } from '../ui/problem.tsx'

/** The pages of an app that the person may open. */
export function AppPage() {
  const { app } = useApp()
  const shown = groups.flatMap(({ title, pages }) => {
    const links = pages.flatMap((page) => {
      const to = placeOf(page, app, [])
      return to === undefined ? [] : [{ to, title: page.title }]
    })
    return links.length === 0 ? [] : [{ title, links }]
  })
  return (
    <>
      <PageHead title={app.name} about={<code>{app.id}</code>} />
      {shown.length === 0 && <Empty title={apps.noPages} />}
      <div className="cards">
        {shown.map(({ title, links }) => (
          <section key={title} className="card">
            <h2>{title}</h2>
            <ul>
              {links.map(({ to, title: name }) => (
                <li key={to}>
                  <Link to={to}>{name}</Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </>
  )
}
