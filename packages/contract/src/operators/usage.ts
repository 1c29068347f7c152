import { Type } from 'typebox'
import { Data, Timestamp } from '../envelope.ts'
import { operations, withDefault } from '../operation.ts'

const AppUsage = Type.Object({
  appId: Type.String(),
  name: Type.String(),
  messages: Type.Integer({ description: 'In all these days.' }),
  lastHour: Type.Integer({ description: 'Messages of the last twelve points of five minutes.' }),
  usualHour: Type.Number({ description: 'Messages in an hour, on average of these days.' }),
  activeUsers: Type.Integer({
    description:
      'Who connected, sent or read something. Where there are more than thirty thousand, an ' +
      'estimate: it may be some percent off.',
  }),
  peakOnline: Type.Integer({ description: 'The most that were online at once.' }),
  days: Type.Array(Type.Integer(), { description: 'Messages of each day, the first one first.' }),
})

export const usage = operations({
  listUsage: {
    method: 'GET',
    path: '/usage',
    summary: 'List how much each app was used, the busiest first',
    description:
      'Lists how many messages each app has sent in the last days, day by day in UTC, and how ' +
      'many users were active: the busiest apps first. `lastHour` beside `usualHour` tells which ' +
      'app is louder than it used to be.',
    tag: 'Operations',
    effect: 'read',
    requires: 'management',
    query: Type.Object({
      days: withDefault(Type.Integer({ minimum: 1, maximum: 92 }), 30),
      limit: withDefault(Type.Integer({ minimum: 1, maximum: 200 }), 50),
    }),
    response: Data(Type.Object({ from: Timestamp, to: Timestamp, apps: Type.Array(AppUsage) })),
    errors: [],
  },
})
