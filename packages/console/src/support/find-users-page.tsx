import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { PageProps } from '../app/page-entry.ts'
import { Link, setQuery, usePlace } from '../app/router.tsx'
import { useApp } from '../app/session.tsx'
import { findUsers } from '../strings/support.ts'
import { TextField } from '../ui/field.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Empty } from '../ui/problem.tsx'
import { Table } from '../ui/table.tsx'
import { userPlace } from './places.ts'
import { UserPage } from './user-page.tsx'

/** Finds a user, or shows the one that the address names. */
export function Page({ rest: [uid] }: PageProps) {
  return uid === undefined ? <Search /> : <UserPage key={uid} uid={uid} />
}

function Search() {
  const { query } = usePlace()
  const search = query.get('search') ?? ''
  return (
    <>
      <PageHead title={findUsers.title} />
      <TextField
        label={findUsers.search}
        type="search"
        autoFocus
        maxLength={200}
        value={search}
        onChange={({ target }) => setQuery({ search: target.value })}
      />
      {search.trim() === '' ? (
        <Empty title={findUsers.begin}>{findUsers.beginText}</Empty>
      ) : (
        <Found search={search} />
      )}
    </>
  )
}

function Found({ search }: { readonly search: string }) {
  const { appId, client } = useApp()
  const found = useQuery({
    queryKey: [appId, 'support', 'found', search],
    queryFn: () => client.findUsers({ query: { search } }),
    placeholderData: keepPreviousData,
  })
  return (
    <Loaded query={found}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty title={findUsers.none}>{findUsers.noneText}</Empty>
        ) : (
          <Table
            label={findUsers.title}
            head={[findUsers.name, findUsers.uid, findUsers.email, findUsers.foundBy]}
            rows={data.map(({ uid, name, email = '', foundBy, deactivatedAt }) => ({
              key: uid,
              cells: [
                <span key="name">
                  <Link to={userPlace(appId, uid)}>{name}</Link>
                  {deactivatedAt !== undefined && ` (${findUsers.deactivated})`}
                </span>,
                <code key="uid">{uid}</code>,
                email,
                findUsers.by[foundBy],
              ],
            }))}
          />
        )
      }
    </Loaded>
  )
}
