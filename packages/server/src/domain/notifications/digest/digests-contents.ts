import type { Message } from '@chorale/contract/conversations'
import type { AppDb } from '../../../database/app-db.ts'
import type { Receiver } from '../../../realtime/ports.ts'
import { findReceiver } from '../../log/index.ts'
import { loadCounterparts, profilesIn, serialiseEntries } from '../../views/index.ts'
import { checkEligibility, type Recipient } from '../eligibility.ts'
import type { NotificationConfig } from '../notification-config.ts'
import { conversationWith } from '../notification-event.ts'
import { withoutMetadata } from '../push/payload.ts'
import { maxTitleBytes, pushTexts } from '../push/push-texts.ts'
import { findParticipant, mutesOf } from '../recipient-rows.sql.ts'
import { stranger } from '../recipients.ts'
import { render } from '../render.ts'
import { effectivePreferences } from '../settings/effective-preferences.ts'
import { type AnnouncedRow, type DigestJob, findAnnounced } from './digests-queue.sql.ts'

/** So many of the newest messages are in a digest. */
const maxMessages = 100
/** What Twilio takes, and splits. */
const maxSmsBytes = 1600

interface Side {
  readonly name: string
}

/** What a digest says, in the words of the app. */
export interface DigestContents {
  /** Subject of an e-mail, all of an SMS. */
  readonly headline: string
  readonly messages: readonly {
    readonly sender: Side
    readonly message: string
    readonly messageObject?: Message
  }[]
  readonly from: { readonly senderDetails: Side } | { readonly groupDetails: Side }
  readonly isPrivate: boolean
}

/** A text: why there is nothing to be sent. */
export async function contentsOf(
  db: AppDb,
  job: DigestJob,
  config: NotificationConfig,
  nowMs: number,
): Promise<DigestContents | string> {
  const receiver = await findReceiver(db, job)
  if (!receiver) return 'NOT_FOUND'
  const rows = await findAnnounced(db, job, maxMessages)
  const recipient = await recipientFor(db, job, config, receiver)
  const { notifyForUnreadOnly } = config.settings.preferences[job.channel]
  const steps = ['recipient', 'blocked', 'preferences', 'read'] as const
  let objection: string | undefined
  const wanted = rows.filter((row) => {
    const notificationEvent = {
      trigger: 'after_message',
      eventId: '',
      row,
      receiver,
      actor: row.sender,
    } as const
    const refusal = checkEligibility(
      // The flags of the push settings speak of pushes only.
      {
        notificationEvent,
        config: { ...config, pushSettings: undefined },
        recipient: { ...recipient, blocked: row.blocked },
        nowMs,
      },
      notifyForUnreadOnly ? steps : steps.slice(0, -1),
    ).find(({ passed }) => !passed)
    objection = refusal?.reason
    return !refusal
  })
  if (wanted.length === 0) return objection ?? 'MESSAGE_DELETED'
  return written(db, job, { config, receiver, recipient, rows: wanted })
}

async function recipientFor(
  db: AppDb,
  job: DigestJob,
  config: NotificationConfig,
  receiver: Receiver,
): Promise<Recipient> {
  const row = await findParticipant(db, job, job.uid, job.uid)
  if (!row) return stranger(job.uid, config)
  return {
    ...row,
    isParticipant: true,
    timezone: row.timezone ?? config.timezone,
    mutes: mutesOf(row, conversationWith({ receiver }, job.uid), receiver.kind),
    devices: [],
  }
}

interface Facts {
  readonly config: NotificationConfig
  readonly receiver: Receiver
  readonly recipient: Recipient
  readonly rows: readonly AnnouncedRow[]
}

async function written(db: AppDb, job: DigestJob, facts: Facts): Promise<DigestContents> {
  const { config, receiver, recipient, rows } = facts
  const { templates, preferences } = config.settings
  const { usePrivacyTemplate } = effectivePreferences(config.settings, recipient.choices)
  const people = profilesIn(db)
  const entries = rows.map((row) => ({ row, receiver }))
  const printed = await serialiseEntries(db, people, entries, { viewer: undefined, members: true })
  const guids = receiver.kind === 'group' ? [receiver.guid] : []
  const wanted = { uids: rows.map(({ sender }) => sender), guids, blocks: false }
  const seen = (await loadCounterparts(people, wanted, undefined))({})
  const [group] = guids.map(seen.group)
  const to = { uid: job.uid, name: job.name }
  const groupDetails = group && { guid: group.guid, name: group.name, icon: group.icon }
  const senderOf = (uid: string) => {
    const { name, avatar } = seen.user(uid)
    return { uid, name, avatar }
  }
  const choice = preferences[job.channel]
  const messages = printed.map((text) => {
    // As we have just printed it.
    const message = JSON.parse(text) as Message
    const sender = senderOf(message.sender)
    const { category, type, receiverType } = message
    const { body } = pushTexts(
      templates,
      { trigger: 'after_message', category, type, receiverType, usePrivacyTemplate },
      { message, to, senderDetails: sender, ...(groupDetails && { groupDetails }) },
    )
    const shows = choice.includeMessageObjectSetting && !usePrivacyTemplate
    const object = shows && { messageObject: withoutMetadata(message, choice) }
    return { sender, message: body, ...object }
  })
  const senderDetails = senderOf(rows.at(-1)?.sender ?? '')
  const context = { messages, to, senderDetails, ...(groupDetails && { groupDetails }) }
  const from = groupDetails ? { groupDetails } : { senderDetails }
  const headline = headlineOf(job, config, receiver.kind, usePrivacyTemplate, context)
  return { headline, messages, from, isPrivate: usePrivacyTemplate }
}

function headlineOf(
  { channel }: DigestJob,
  { settings: { templates } }: NotificationConfig,
  kind: Receiver['kind'],
  isPrivate: boolean,
  context: object,
): string {
  const form = isPrivate ? 'Privacy' : 'Default'
  if (channel === 'sms') {
    const { bodyGroup, bodyOneOnOne } = templates[`smsContentTemplate${form}`]
    const template = kind === 'group' ? bodyGroup : bodyOneOnOne
    return render(template, context, { maxBytes: maxSmsBytes })
  }
  const { subjectGroup, subjectOneOnOne } = templates[`emailSubjectTemplate${form}`]
  const template = kind === 'group' ? subjectGroup : subjectOneOnOne
  return render(template, context, { maxBytes: maxTitleBytes })
}
