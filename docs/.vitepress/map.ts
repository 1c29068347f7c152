/** Which pages the site has, in which of its four parts, in which order. A test compares it with the files. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../tools/tree.ts'

interface Section {
  readonly title: string
  /** Paths from the root of the repository. */
  readonly pages: readonly string[]
}

interface Part {
  readonly title: string
  readonly about: string
  readonly sections: readonly Section[]
}

/** The first page of the site. */
const home = 'docs/README.md'

const decisions = readdirSync(join(root, 'docs/decisions'))
  .filter((name) => name.endsWith('.md'))
  .sort()
  .map((name) => `docs/decisions/${name}`)

export const parts: readonly Part[] = [
  {
    title: 'App developers',
    about: 'Build chat into an application',
    sections: [
      {
        title: 'How to',
        pages: [
          'docs/develop/quick-start.md',
          'docs/develop/react.md',
          'docs/develop/server.md',
          'docs/develop/tokens.md',
          'docs/develop/sign-in.md',
          'docs/develop/push.md',
          'docs/develop/webhooks.md',
          'docs/develop/moderation.md',
          'docs/develop/files.md',
          'docs/develop/moving.md',
          'docs/archives.md',
          'docs/data-rights.md',
        ],
      },
      {
        title: 'In depth',
        pages: [
          'docs/start.md',
          'docs/sdk.md',
          'docs/compat.md',
          'docs/notification-providers.md',
          'docs/notifications.md',
          'docs/webhooks.md',
          'docs/events.md',
          'docs/moderation.md',
          'docs/realtime.md',
          'docs/statistics.md',
        ],
      },
    ],
  },
  {
    title: 'Operators',
    about: 'Run an install',
    sections: [
      {
        title: 'Before production',
        pages: [
          'docs/operate/README.md',
          'deploy/README.md',
          'docs/operate/sizing.md',
          'docs/operate/proxies.md',
          'docs/operate/pooler.md',
          'docs/operate/scaling.md',
          'docs/operate/cells.md',
          'docs/reliability.md',
          'docs/processes.md',
          'docs/performance.md',
        ],
      },
      {
        title: 'In production',
        pages: [
          'docs/console.md',
          'docs/operate/collaborators.md',
          'docs/operate/monitoring.md',
          'docs/operate/tracing.md',
          'docs/operate/status.md',
          'docs/operate/doctor.md',
          'docs/operate/troubleshooting.md',
          'docs/operate/backup.md',
          'docs/operate/files.md',
          'docs/operate/upgrade.md',
        ],
      },
      {
        title: 'Security',
        pages: ['docs/security.md', 'docs/keys.md', 'docs/egress.md', 'SECURITY.md'],
      },
    ],
  },
  {
    title: 'Reference',
    about: 'Look a name up',
    sections: [
      {
        title: 'Reference',
        pages: [
          'docs/sdk-reference.md',
          'docs/errors.md',
          'docs/event-types.md',
          'docs/settings.md',
          'docs/rules.md',
          'docs/permissions.md',
          'docs/compatibility.md',
          'docs/compat-names.md',
          'docs/glossary.md',
        ],
      },
    ],
  },
  {
    title: 'Contributors',
    about: 'Change Chorale itself',
    sections: [
      {
        title: 'Begin',
        pages: [
          'CONTRIBUTING.md',
          'docs/layout.md',
          'docs/adding-an-operation.md',
          'docs/where-is.md',
          'docs/releasing.md',
          'docs/packages.md',
        ],
      },
      {
        title: 'How it works',
        pages: [
          'docs/architecture.md',
          'docs/life-of-a-request.md',
          'docs/life-of-a-message.md',
          'docs/versions.md',
          'docs/jobs.md',
          'docs/push.md',
          'docs/table-owners.md',
          'docs/benches.md',
        ],
      },
      { title: 'Decisions', pages: decisions },
    ],
  },
]

export const pages: readonly string[] = [
  home,
  ...parts.flatMap(({ sections }) => sections.flatMap((section) => section.pages)),
]

/** Where a page is on the site: `docs/operate/README.md` is `operate/index.md`, `SECURITY.md` is `project/security.md`. */
export function siteFile(page: string): string {
  const path = page.includes('/') ? page.replace(/^docs\//, '') : `project/${page.toLowerCase()}`
  return path.replace(/(^|\/)README\.md$/, '$1index.md')
}
