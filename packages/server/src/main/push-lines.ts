import type { Config } from '../config.ts'
import type { PushLines } from '../domain/notifications/index.ts'
import type { Egress } from '../egress/egress.ts'
import type { Tracer } from '../tracing/tracer.ts'
import { openApns } from '../transports/apns.ts'
import { openFcm } from '../transports/fcm.ts'
import { openWebPush } from '../transports/web-push.ts'
import { authoritiesOf } from './configured-egress.ts'

interface LineParts {
  readonly config: Config
  readonly egress: Egress
  readonly tracer: Tracer | undefined
}

/** Connections to the providers of pushes, made with the first push. */
export function openPushLines({ config, egress, tracer }: LineParts): PushLines & Disposable {
  const { PUSH_TIMEOUT_MS: timeoutMs } = config
  using stack = new DisposableStack()
  const fcm = stack.use(
    openFcm({
      egress,
      timeoutMs,
      tracer,
      origin: config.PUSH_FCM_ORIGIN,
      tokenUri: config.PUSH_FCM_TOKEN_URI,
      ...authoritiesOf(config),
    }),
  )
  const apns = stack.use(
    openApns({
      timeoutMs,
      tracer,
      production: config.PUSH_APNS_ORIGIN,
      sandbox: config.PUSH_APNS_SANDBOX_ORIGIN,
      ...authoritiesOf(config),
    }),
  )
  const webPush = openWebPush({ egress, timeoutMs })
  const owned = stack.move()
  return { fcm, apns, webPush, egress, [Symbol.dispose]: () => owned.dispose() }
}
