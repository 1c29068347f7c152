import { type Static, type TSchema, Type } from 'typebox'
import { AppId } from '../apps/apps.ts'
import { Data, ItemOutcome, Pagination, pageQuery, Timestamp } from '../envelope.ts'
import { operations, withDefault } from '../operation.ts'

/** The hosted service asks a server per extension, and wraps what that answers. */
export function ExtensionAnswer<T extends TSchema>(body: T) {
  return Type.Object({
    statusCode: Type.Integer(),
    success: Type.Boolean(),
    responseTime: Type.Number(),
    body,
  })
}

export const Extension = Type.Object({
  id: Type.String(),
  name: Type.String(),
  tagLine: Type.String(),
  description: Type.String(),
  author: Type.String(),
  email: Type.String(),
  webhookURL: Type.Optional(Type.String()),
  accessToAppData: Type.Boolean(),
  adminURL: Type.Optional(Type.String()),
  websiteURL: Type.String(),
  isActive: Type.Boolean(),
  isPrivate: Type.Boolean(),
  isInvisible: Type.Boolean(),
  isThirdParty: Type.Boolean(),
  createdAt: Timestamp,
  hooks: Data(
    Type.Array(
      Type.Object({
        hook: Type.String(),
        description: Type.String(),
        isActive: Type.Boolean(),
        enabled: Type.Integer(),
        createdAt: Timestamp,
      }),
    ),
  ),
  categories: Data(Type.Array(Type.Unknown())),
})
export type Extension = Static<typeof Extension>

const Ids = Type.Optional(
  Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 100 }),
)
const Outcomes = Type.Record(Type.String(), ItemOutcome)
const params = Type.Object({ appId: AppId })

export const extensions = operations({
  switchExtensions: {
    method: 'POST',
    path: '/apps/:appId/extensions',
    summary: 'Enable and disable extensions of an app',
    description:
      'Enables and disables extensions of an app. There is one: `push-notification`, the older ' +
      'way to set up push. An unknown extension is refused alone, inside the 200.',
    tag: 'Extensions',
    effect: 'write',
    requires: 'management',
    audit: true,
    params,
    body: Type.Object({ enabled: Ids, disabled: Ids }),
    response: Data(Type.Object({ enabled: Outcomes, disabled: Outcomes })),
    errors: ['ERR_APP_NOT_FOUND'],
  },
  listExtensions: {
    method: 'GET',
    path: '/apps/:appId/extensions',
    summary: 'List the extensions of an app',
    description: 'Lists the extensions that there are, and whether each is enabled for the app.',
    tag: 'Extensions',
    effect: 'read',
    requires: 'management',
    params,
    query: Type.Object({
      ...pageQuery,
      perPage: withDefault(Type.Integer({ minimum: 1, maximum: 1000 }), 25),
    }),
    response: Type.Object({
      data: Type.Array(Extension),
      meta: Type.Object({
        pagination: Type.Intersect([
          Pagination,
          Type.Object({ links: Type.Object({ next: Type.Optional(Type.String()) }) }),
        ]),
      }),
    }),
    errors: ['ERR_APP_NOT_FOUND'],
  },
})
