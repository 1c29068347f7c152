import { Link, setQuery, usePlace } from '../app/router.tsx'
import { useOwnApps, useSelf } from '../app/session.tsx'
import { apps } from '../strings/frame.ts'
import { TextField } from '../ui/field.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Empty } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { NewApp } from './new-app.tsx'

/** The start: the apps in which the person has a role. */
export function AppsPage() {
  const { query } = usePlace()
  const searchKey = query.get('search') ?? ''
  const found = useOwnApps(searchKey)
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
      <Loaded query={found}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <Empty title={apps.none}>
              {searchKey !== '' ? apps.noneFound : mayCreate ? apps.noneOwner : apps.noneOther}
            </Empty>
          ) : (
            <>
              <Table
                label={apps.title}
                head={[apps.name, apps.id, apps.region, apps.created]}
                rows={data.map(({ id, name, region, createdAt }) => ({
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
              <p className="hint">{apps.counted(data.length, meta.pagination.total)}</p>
            </>
          )
        }
      </Loaded>
    </>
  )
}
