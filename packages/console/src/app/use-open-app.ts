import { usePlace } from './router.tsx'
import { useOwnApps } from './session.tsx'

/** The app that the address names, once it is known. */
export function useOpenApp() {
  const { path } = usePlace()
  const appId = /^\/apps\/([^/]+)/.exec(path)?.[1] ?? ''
  const { data, isPending, isPlaceholderData, error, refetch } = useOwnApps(appId)
  const app = appId === '' ? undefined : data?.data.find(({ id }) => id === appId)
  return {
    appId,
    app,
    isWaiting: appId !== '' && !app && (isPending || isPlaceholderData),
    error: appId === '' ? null : error,
    refetch,
  }
}

export type OpenApp = ReturnType<typeof useOpenApp>
