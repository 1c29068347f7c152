import type { PageEntry } from '../app/page-entry.ts'
import {
  events,
  keys,
  people,
  providers,
  roles,
  settings,
  webhooks,
} from '../strings/developers.ts'

export const developerPages: readonly PageEntry[] = [
  {
    path: 'keys',
    title: keys.title,
    permission: 'secrets.read',
    load: () => import('./keys-page.tsx'),
  },
  {
    path: 'settings',
    title: settings.title,
    permission: 'settings.read',
    load: () => import('./settings-page.tsx'),
  },
  {
    path: 'roles',
    title: roles.title,
    permission: 'settings.read',
    load: () => import('./roles-page.tsx'),
  },
  {
    path: 'webhooks',
    title: webhooks.title,
    permission: 'settings.read',
    load: () => import('./webhooks-page.tsx'),
  },
  {
    path: 'push-providers',
    title: providers.title,
    permission: 'settings.read',
    load: () => import('./providers-page.tsx'),
  },
  {
    path: 'collaborators',
    title: people.title,
    permission: 'collaborators.read',
    load: () => import('./people-page.tsx'),
  },
  {
    path: 'events',
    title: events.title,
    permission: 'messages.read',
    load: () => import('./events-page.tsx'),
  },
]
