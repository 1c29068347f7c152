import type { ItemOutcome } from '@chorale/contract/envelope'
import type { Extension, extensions } from '@chorale/contract/notifications'
import { paginationOf } from '../../../database/keyset.ts'
import { Failure } from '../../../pipeline/failure.ts'
import type { Handlers } from '../../../pipeline/handler.ts'
import { disableExtensions, enabledExtensions, enableExtensions } from './extensions.sql.ts'

/** What this service does itself. The hosted one has many more, most of them of other companies. */
const catalogue = [
  {
    id: 'push-notification',
    name: 'Push Notifications',
    tagLine: 'Messages reach people who are away',
    description: 'Sends what happens to devices, through FCM and APNs.',
  },
] as const

export const extensionHandlers: Handlers<typeof extensions> = {
  async switchExtensions({ body: { enabled = [], disabled = [] } }, ctx) {
    await enableExtensions(ctx.db, enabled.filter(isKnown), ctx.now)
    await disableExtensions(ctx.db, disabled.filter(isKnown))
    return {
      data: {
        enabled: outcomes(ctx.db.appId, enabled, 'Enabled.'),
        disabled: outcomes(ctx.db.appId, disabled, 'Disabled.'),
      },
    }
  },

  async listExtensions({ query }, ctx) {
    const enabledAt = await enabledExtensions(ctx.db)
    const from = (query.page - 1) * query.perPage
    const data = catalogue
      .slice(from, from + query.perPage)
      .map((extension) => shown(extension, enabledAt.get(extension.id)))
    const pagination = paginationOf(query, data.length, catalogue.length)
    return { data, meta: { pagination: { ...pagination, links: {} } } }
  },
}

/** As the hosted service wraps what a server behind it has said. Here nobody stands between. */
export function extensionAnswer<T>(body: T) {
  return { statusCode: 200, success: true, responseTime: 0, body }
}

function isKnown(id: string): boolean {
  return catalogue.some((extension) => extension.id === id)
}

function outcomes(appId: string, ids: readonly string[], message: string) {
  const outcome = (extension: string): ItemOutcome =>
    isKnown(extension)
      ? { success: true, message }
      : {
          success: false,
          error: new Failure('ERR_EXTENSION_NOT_FOUND', { extension, appId }).brief(),
        }
  return Object.fromEntries(ids.map((id) => [id, outcome(id)]))
}

function shown(extension: (typeof catalogue)[number], enabledAt: number | undefined): Extension {
  return {
    ...extension,
    author: 'Chorale',
    email: '',
    accessToAppData: true,
    websiteURL: '',
    isActive: enabledAt !== undefined,
    isPrivate: false,
    isInvisible: false,
    isThirdParty: false,
    createdAt: enabledAt ?? 0,
    hooks: { data: [] },
    categories: { data: [] },
  }
}
