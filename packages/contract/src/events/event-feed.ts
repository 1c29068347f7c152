import { Type } from 'typebox'
import { OneOf } from '../envelope.ts'
import { operations, withDefault } from '../operation.ts'
import { Event } from './event.ts'

export const eventFeed = operations({
  listEvents: {
    method: 'GET',
    path: '/events',
    summary: 'List what has happened in the app, in the order in which it was published',
    description:
      'Answers what has happened in the app, in the order in which it was published, for a ' +
      'server that asks instead of being called by webhooks. Begin without `after`, then send ' +
      '`meta.next.after` of each answer, also after an empty page. Refused with 410 when the ' +
      'events after that place are no longer kept.',
    tag: 'Events',
    effect: 'read',
    requires: 'fullAccess',
    query: Type.Object({
      after: Type.Optional(
        Type.String({
          maxLength: 500,
          description: '`meta.next.after` of the page before. Without it, from the oldest on.',
        }),
      ),
      limit: withDefault(Type.Integer({ minimum: 1, maximum: 1000 }), 100),
    }),
    response: Type.Object({
      data: Type.Array(Event),
      meta: Type.Object({
        current: Type.Object({ limit: Type.Integer(), count: Type.Integer() }),
        next: Type.Object({
          affix: OneOf('append'),
          after: Type.String({ description: 'Pass it back, also after an empty page.' }),
        }),
      }),
    }),
    errors: ['ERR_EVENTS_GONE'],
  },
})
