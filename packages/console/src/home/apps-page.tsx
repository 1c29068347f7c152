import { clientOf } from '../app/client.ts'
import { Link, setQuery, usePlace } from '../app/router.tsx'
import { useSelf } from '../app/session.tsx'
import { nextNumber, rowsPerPage, usePages } from '../app/use-pages.ts'
import { apps } from '../strings/frame.ts'
import { TextField } from '../ui/field.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Pages } from '../ui/pages.tsx'
import { Empty } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { NewApp } from './new-app.tsx'

/** The start: the apps in which the person has a role. */
export function AppsPage() {
  const { query } = usePlace()
  const searchKey = query.get('search') ?? ''
  const found = usePages({
    queryKey: ['own-apps', searchKey],
    read: (page = 1) =>
      clientOf('').listOwnApps({
        query: { perPage: rowsPerPage, page, ...(searchKey && { searchKey }) },
      }),
    next: nextNumber,
  })
  const { permissions } = useSelf()
  const mayCreate = permissions.includes('apps.write')
  return (
    <>
      <PageHead title={apps.title}>{mayCreate && <NewApp />}</PageHead>
      <TextField
        label={apps.search}
        type="search"
        value={searchKey}
        onChange={({ target }) => setQuery({ search: target.value })}
      />
      <Pages of={found}>
        {(pages) => {
          const shown = pages.flatMap(({ data }) => data)
          if (shown.length === 0) {
            return (
              <Empty title={apps.none}>
                {searchKey !== '' ? apps.noneFound : mayCreate ? apps.noneOwner : apps.noneOther}
              </Empty>
            )
          }
          const total = pages[0]?.meta.pagination.total ?? 0
          return (
            <>
              <Table
                label={apps.title}
                head={[apps.name, apps.id, apps.region, apps.created]}
                rows={shown.map(({ id, name, region, createdAt }) => ({
                  key: id,
                  cells: [
                    <Link key="name" to={`/apps/${id}`}>
                      {name}
                    </Link>,
                    <code key="id">{id}</code>,
                    region,
                    <Time key="time" at={createdAt} />,
                  ],
                }))}
              />
              <p className="hint">{apps.counted(shown.length, total)}</p>
            </>
          )
        }}
      </Pages>
    </>
  )
}
