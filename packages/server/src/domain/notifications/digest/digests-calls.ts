import type { AppDb } from '../../../database/app-db.ts'
import type { Egress } from '../../../egress/egress.ts'
import type { Email, SendGrid } from '../../../transports/email.ts'
import type { PushOutcome } from '../../../transports/outcome.ts'
import type { Twilio } from '../../../transports/sms.ts'
import type { Smtp } from '../../../transports/smtp.ts'
import type { Vault } from '../../../vault/vault.ts'
import { callOwnServer, ownServerOf } from '../providers/own-server.ts'
import { findProvider } from '../providers/providers.sql.ts'
import { opened, type Provider } from '../providers/providers.ts'
import type { DigestCarrier } from './digests.sql.ts'
import type { DigestContents } from './digests-contents.ts'
import type { DigestJob } from './digests-queue.sql.ts'

/** The ways that digests go. */
export interface DigestLines {
  readonly egress: Egress
  readonly sendGrid: SendGrid
  readonly twilio: Twilio
  /** The mail server of the operator, if there is one. */
  readonly smtp: { readonly server: Smtp; readonly from: string } | undefined
}

export interface Digest {
  readonly job: DigestJob
  readonly contents: DigestContents
  /** What is sent to an own server, or filled into a template. */
  readonly data: object
  /** The same for every attempt. */
  readonly id: string
  /** Empty where the carrier knows it. */
  readonly address: string
  readonly region: string
  readonly timeoutMs: number
}

const noProvider: PushOutcome = { is: 'refused', reason: 'NO_PROVIDER' }

export async function sendDigest(
  lines: DigestLines,
  at: { readonly db: AppDb; readonly vault: Vault },
  { kind, channel, appName }: DigestCarrier,
  digest: Digest,
): Promise<PushOutcome> {
  if (kind === 'smtp') {
    const { server, from } = lines.smtp ?? {}
    if (!server || !from) return noProvider
    return server.send(emailFrom({ name: appName, address: from }, digest))
  }
  const row = await findProvider(at.db, { channel, kind, providerId: kind })
  if (!row) return noProvider
  const provider = opened(at, row)
  if (kind === 'custom') {
    const { job, data, id, region, timeoutMs } = digest
    const call = { channel, data, appId: job.appId, id, region, timeoutMs }
    return callOwnServer(lines.egress, ownServerOf(provider), call)
  }
  return kind === 'twilio'
    ? byTwilio(lines.twilio, provider, digest)
    : bySendGrid(lines.sendGrid, provider, digest)
}

function bySendGrid(sendGrid: SendGrid, { settings, secret }: Provider, digest: Digest) {
  const text = (name: string) => String(settings[name] ?? '')
  const group = Number(text('sendGridUnsubscribeGroupID'))
  const account = {
    apiKey: secret,
    template: { id: text('sendGridTemplateID'), data: digest.data },
    ...(Number.isInteger(group) && { unsubscribeGroup: group }),
  }
  const from = { name: text('senderName'), address: text('senderEmail') }
  return sendGrid.send(account, emailFrom(from, digest))
}

function byTwilio(twilio: Twilio, { settings, secret: authToken }: Provider, digest: Digest) {
  const text = (name: string) => String(settings[name] ?? '')
  return twilio.send(
    { accountSid: text('twilioAccountSID'), authToken },
    {
      from: text('twilioSenderPhoneNumber'),
      to: digest.address,
      text: digest.contents.headline,
    },
  )
}

function emailFrom(from: Email['from'], { job, contents, address, id }: Digest): Email {
  const { headline, messages, isPrivate } = contents
  const lines = messages.map(({ sender, message }) => `${sender.name}: ${message}`)
  return {
    from,
    to: { name: job.name, address },
    // A subject is one line.
    subject: headline.replaceAll(/\s+/g, ' '),
    text: isPrivate ? headline : lines.join('\n'),
    id,
  }
}
