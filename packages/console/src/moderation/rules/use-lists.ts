import { useQuery } from '@tanstack/react-query'
import { useApp } from '../../app/session.tsx'

/** The lists of the app, by id. */
export function useLists() {
  const { appId, client } = useApp()
  const { data } = useQuery({
    queryKey: [appId, 'keyword-lists'],
    queryFn: () => client.listKeywordLists({ query: { limit: 100 } }),
  })
  return new Map((data?.data ?? []).map((list) => [list.id, list]))
}
