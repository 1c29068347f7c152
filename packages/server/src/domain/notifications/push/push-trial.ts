import type { pushTests } from '@chorale/contract/notifications'
import { v7 as uuidv7 } from 'uuid'
import { Failure } from '../../../pipeline/failure.ts'
import type { Handlers } from '../../../pipeline/handler.ts'
import type { PushOutcome } from '../../../transports/outcome.ts'
import { mask } from '../../../vault/mask.ts'
import { requireUser } from '../../users/index.ts'
import { credentialsOf } from '../providers/credentials.ts'
import { type PushLines, sendPush } from './push-calls.ts'
import { listTokensOf } from './push-tokens.sql.ts'

export interface PushTesting {
  /** Opened with the first test. */
  readonly lines: () => PushLines
  readonly timeoutMs: number
}

const maxDevices = 5
const texts = { title: 'Test', body: 'This is a test of push notifications.', type: 'chat' }

export function pushTestHandlers({ lines, timeoutMs }: PushTesting): Handlers<typeof pushTests> {
  return {
    async testPushProvider({ params: { kind, providerId }, body: { uid } }, ctx) {
      const { db, app, now } = ctx
      const by = await credentialsOf(ctx, kind, providerId)
      if (!by) throw new Failure('ERR_PROVIDER_NOT_FOUND', { providerId })
      await requireUser(ctx, uid)
      const devices = await listTokensOf(db, uid, kind, maxDevices)
      const outcomes = await Promise.all(
        devices.map((device) =>
          sendPush(lines(), by, {
            job: { appId: app.appId, uid, tokenType: 'chat', keys: null, ...device },
            data: texts,
            id: uuidv7(),
            badge: 0,
            sound: 'default',
            now,
            region: app.region,
            timeoutMs,
          }),
        ),
      )
      const data = devices.map(({ platform, pushToken }, nth) => ({
        platform,
        pushToken: mask(pushToken),
        ...shown(outcomes[nth]),
      }))
      return { data }
    },
  }
}

function shown(outcome: PushOutcome | undefined) {
  if (!outcome || outcome.is === 'accepted') return { outcome: 'accepted' as const }
  return { outcome: outcome.is, reason: outcome.reason }
}
