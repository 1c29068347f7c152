import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Console } from './app/console.tsx'
import { reloadForNewVersion } from './app/new-version.ts'
import { queryClient } from './app/query-client.ts'
import { applyTheme } from './app/theme.ts'
import { ErrorBoundary } from './ui/error-boundary.tsx'

applyTheme()
reloadForNewVersion()
const root = document.querySelector('#root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <ErrorBoundary>
          <Console />
        </ErrorBoundary>
      </QueryClientProvider>
    </StrictMode>,
  )
}
