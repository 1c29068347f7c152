// Pages that do not yet pass a check of tools/docs/pages.pure.test.ts, with a count that only gets smaller.

/** Blocks of code that say neither that they are run nor why not. */
export const unmarkedKnown: Readonly<Record<string, number>> = {
  'docs/notification-providers.md': 10,
  'docs/webhooks.md': 2,
  'docs/events.md': 1,
  'docs/moderation.md': 4,
  'deploy/README.md': 3,
  'docs/operate/proxies.md': 2,
  'docs/operate/pooler.md': 2,
  'docs/processes.md': 1,
  'docs/operate/monitoring.md': 1,
  'docs/operate/status.md': 1,
  'docs/operate/doctor.md': 1,
  'docs/operate/upgrade.md': 2,
  'docs/keys.md': 1,
}

/** Sentences of more than 30 words. */
export const longSentencesKnown: Readonly<Record<string, number>> = {
  'docs/notification-providers.md': 1,
  'docs/notifications.md': 2,
  'docs/webhooks.md': 2,
  'docs/events.md': 1,
  'docs/moderation.md': 11,
  'docs/realtime.md': 3,
  'docs/statistics.md': 2,
  'deploy/README.md': 1,
  'docs/operate/sizing.md': 1,
  'docs/processes.md': 2,
  'docs/performance.md': 2,
  'docs/operate/tracing.md': 1,
  'docs/operate/backup.md': 1,
  'docs/operate/upgrade.md': 6,
  'docs/keys.md': 3,
  'docs/egress.md': 2,
}
