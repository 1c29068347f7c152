import { ChoraleError } from '@chorale/sdk'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { navigate, signInPlace } from './router.tsx'

const maxAttempts = 3

export function isSignedOut(error: unknown): boolean {
  return error instanceof ChoraleError && error.status === 401
}

function leaveIfSignedOut(error: unknown): void {
  if (!isSignedOut(error)) return
  const to = signInPlace()
  if (!location.pathname.endsWith('/console/sign-in')) navigate(to, 'replace')
  // Nothing of what the person saw stays in the page.
  queryClient.clear()
}

/** The network may come back, and the service too; a refusal stays one. */
function mayPass(error: unknown): boolean {
  return !(error instanceof ChoraleError) || error.status >= 500 || error.status === 429
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: leaveIfSignedOut }),
  mutationCache: new MutationCache({ onError: leaveIfSignedOut }),
  defaultOptions: {
    queries: {
      // The browser does not know whether the service is there: the call tells.
      networkMode: 'always',
      staleTime: 10_000,
      retry: (failures, error) => failures + 1 < maxAttempts && mayPass(error),
      retryDelay: (failures) => 300 * 2 ** failures,
    },
    mutations: { networkMode: 'always' },
  },
})
