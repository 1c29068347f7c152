/**
 * Imports that .dependency-cruiser.mjs forbids and that are there: by rule, the files below packages/server/src/. The
 * lists only get shorter: `npm run arrows` fails on a file that is not listed, and on a listed one that no longer
 * breaks the rule.
 */
export interface KnownImports {
  readonly 'domain-never-holds-the-pool': readonly string[]
  readonly 'db-without-app-stays-in-sql': readonly string[]
  readonly 'edge-knows-no-other-edge': readonly string[]
}

export const knownImports: KnownImports = {
  'domain-never-holds-the-pool': [],
  // They read or append for many apps in one statement, or pass on the connection of their own transaction.
  'db-without-app-stays-in-sql': [
    'domain/apps/identify.ts',
    'domain/views/counterparts.ts',
    'domain/views/feed.ts',
    'domain/log/log.ts',
    'domain/messages/history/history-reads.ts',
    'domain/messages/history/history.ts',
    'domain/messages/search/search.ts',
    'domain/messages/signal-check.ts',
    'domain/users/relationships/relationships.ts',
    'domain/webhooks/before-message.ts',
  ],
  'edge-knows-no-other-edge': [],
}
