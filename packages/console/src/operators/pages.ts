import type { PageEntry } from '../app/page-entry.ts'
import { audit, health, letters, usage } from '../strings/operators.ts'

export const operatorPages: readonly PageEntry[] = [
  {
    path: 'audit-log',
    title: audit.title,
    permission: 'audit.read',
    load: () => import('./audit-log-of-app.tsx'),
  },
  {
    path: 'health',
    title: health.title,
    permission: 'operations.read',
    scope: 'install',
    load: () => import('./health-page.tsx'),
  },
  {
    path: 'dead-letters',
    title: letters.title,
    permission: 'operations.read',
    scope: 'install',
    load: () => import('./dead-letters-page.tsx'),
  },
  {
    path: 'usage',
    title: usage.title,
    permission: 'operations.read',
    scope: 'install',
    load: () => import('./usage-page.tsx'),
  },
  {
    path: 'audit-log',
    title: audit.ofInstall,
    permission: 'audit.read',
    scope: 'install',
    load: () => import('./audit-log-of-install.tsx'),
  },
]
