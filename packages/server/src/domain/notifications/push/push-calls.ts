import type { Egress } from '../../../egress/egress.ts'
import type { Apns } from '../../../transports/apns.ts'
import type { Fcm } from '../../../transports/fcm.ts'
import type { PushOutcome } from '../../../transports/outcome.ts'
import type { WebPush } from '../../../transports/web-push.ts'
import type { Credentials } from '../providers/credentials.ts'
import { callOwnServer } from '../providers/own-server.ts'
import type { PushData } from './payload.ts'
import type { PushJob } from './push-queue.sql.ts'

/** The lines to the providers, each open for all apps. */
export interface PushLines {
  readonly fcm: Fcm
  readonly apns: Apns
  readonly webPush: WebPush
  readonly egress: Egress
}

export interface Push {
  /** To which device. */
  readonly job: Pick<PushJob, 'appId' | 'uid' | 'pushToken' | 'platform' | 'tokenType' | 'keys'>
  readonly data: PushData
  /** The same for every attempt. */
  readonly id: string
  /** Exactly what the recipient has not read. */
  readonly badge: number
  readonly sound: string
  /** In unix seconds. */
  readonly now: number
  readonly region: string
  readonly timeoutMs: number
}

/** Nobody wants to hear of it later than that. */
const ttlSeconds = 3600

export async function sendPush(
  lines: PushLines,
  by: Credentials,
  push: Push,
): Promise<PushOutcome> {
  switch (by.kind) {
    case 'fcm':
      return lines.fcm.send(by.account, fcmMessage(by, push))
    case 'apns':
      return lines.apns.send(by.signs, by.environment, apnsNotification(by, push))
    case 'web': {
      const { keys, pushToken: endpoint } = push.job
      if (!keys) return { is: 'gone', reason: 'The subscription has no keys.' }
      const message = { payload: JSON.stringify(push.data), ttlSeconds, urgency: 'high' } as const
      return lines.webPush.send(by.keys, { endpoint, ...keys }, { ...message, ...tagOf(push) })
    }
    case 'custom': {
      const { job, data, ...rest } = push
      const call = { to: { uid: job.uid }, notificationDetails: data }
      return callOwnServer(lines.egress, by, {
        ...rest,
        channel: 'push',
        appId: job.appId,
        data: call,
      })
    }
  }
}

function tagOf({ data: { tag } }: Push) {
  return tag === undefined ? {} : { tag }
}

function fcmMessage({ showsOn }: Extract<Credentials, { kind: 'fcm' }>, push: Push) {
  const { job, data } = push
  const shown = { title: data.title ?? '', body: data.body ?? '' }
  const { tag } = data
  return {
    to: { token: job.pushToken },
    data,
    ...(showsOn(job.platform ?? '', job.tokenType) && { notification: shown }),
    ...(tag !== undefined && { tag, collapseKey: tag }),
    priority: 'high' as const,
    ttlSeconds,
  }
}

function apnsNotification(by: Extract<Credentials, { kind: 'apns' }>, push: Push) {
  const { job, data, id, badge, sound, now } = push
  const { tag } = data
  return {
    deviceToken: job.pushToken,
    topic: by.topic,
    pushType: job.tokenType === 'call' ? ('voip' as const) : ('alert' as const),
    id,
    ...(tag !== undefined && { collapseId: tag }),
    expiresAt: now + ttlSeconds,
    payload: {
      ...data,
      aps: {
        alert: { title: data.title, body: data.body },
        badge,
        sound,
        ...(by.contentAvailable && { 'content-available': 1 }),
        ...(by.mutableContent && { 'mutable-content': 1 }),
      },
    },
  }
}
