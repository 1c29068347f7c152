import { Type } from 'typebox'
import { AppId } from '../apps/apps.ts'
import { Data, Outcome, UnixMillis } from '../envelope.ts'
import { operations } from '../operation.ts'

/** Unix milliseconds, as the interface has them here. */
const Millis = Type.Integer({ minimum: 0 })
const MillisText = Type.String({ pattern: '^[0-9]+$', description: 'Unix milliseconds.' })

const counts = {
  messagesSent: Type.Integer(),
  readReceipts: Type.Integer(),
  deliveryReceipts: Type.Integer(),
}

export const stats = operations({
  getStats: {
    method: 'GET',
    path: '/stats',
    summary: 'Get figures of the app between two dates',
    description:
      'Answers how many users were active between two dates, and how many were online at once ' +
      'at most. The dates are at most 92 days apart.',
    tag: 'Metrics',
    effect: 'read',
    requires: 'fullAccess',
    query: Type.Object({ fromDate: UnixMillis, toDate: UnixMillis }),
    response: Data(
      Type.Object({
        metrics: Type.Object({
          audio_minutes: Type.Integer({ description: 'There are no calls: 0.' }),
          video_minutes: Type.Integer({ description: 'There are no calls: 0.' }),
          recorded_minutes: Type.Integer({ description: 'There are no calls: 0.' }),
          active_users: Type.Integer({ description: 'Who connected, sent or read something.' }),
          concurrent_users: Type.Integer({ description: 'The most that were online at once.' }),
        }),
        time_range: Type.Object({ fromDate: Millis, toDate: Millis }),
      }),
    ),
    errors: [],
  },
  getMessageStats: {
    method: 'GET',
    path: '/stats/messages',
    summary: 'Count messages and receipts, in points of five minutes',
    description:
      'Counts messages sent, deliveries and reads, in points of five minutes, an hour or a day. ' +
      'Without times it answers the last hour; a report has at most a day in points of five ' +
      'minutes, 31 days in hours, ten years in days.',
    tag: 'Metrics',
    effect: 'read',
    requires: 'fullAccess',
    query: Type.Object({
      startTime: Type.Optional(UnixMillis),
      endTime: Type.Optional(UnixMillis),
      interval: Type.Optional(
        Type.Unsafe<300 | 3600 | 86_400>({
          type: 'integer',
          enum: [300, 3600, 86_400],
          default: 300,
          description:
            'Seconds of a point. Five minutes are kept for 90 days, hours for two years.',
        }),
      ),
    }),
    response: Data(
      Type.Object({
        startTime: MillisText,
        endTime: MillisText,
        dataPoints: Type.Array(
          Type.Object({ ...counts, startTime: MillisText, endTime: MillisText }),
        ),
        appId: Type.String(),
      }),
    ),
    errors: [],
  },
  getAppUsage: {
    method: 'POST',
    path: '/apps/:appId/usage',
    summary: 'Say how much an app was used this month, or the month before',
    description:
      'Says in one sentence how many messages an app has sent and how many users were active in ' +
      'this calendar month, or in the month before.',
    tag: 'Apps',
    effect: 'read',
    requires: 'management',
    params: Type.Object({ appId: AppId }),
    body: Type.Object({ usePreviousBillingCycle: Type.Optional(Type.Boolean()) }),
    response: Data(Outcome),
    errors: ['ERR_APP_NOT_FOUND'],
  },
})
