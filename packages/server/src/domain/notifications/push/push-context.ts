import type { Message } from '@chorale/contract/conversations'
import type { AppDb } from '../../../database/app-db.ts'
import type { Receiver } from '../../../realtime/ports.ts'
import type { FileAddresses } from '../../../storage/addresses.ts'
import { findEntry, findReceiver } from '../../log/index.ts'
import { loadCounterparts, profilesIn, serialiseEntries } from '../../views/index.ts'
import { isCallTrigger } from '../decide.ts'
import { type NotificationConfig, notificationConfigOf } from '../notification-config.ts'
import { effectivePreferences } from '../settings/effective-preferences.ts'
import { type PushData, payloadOf } from './payload.ts'
import type { PushJob } from './push-queue.sql.ts'
import { pushTexts } from './push-texts.ts'

/** What all pushes of one event have in common. */
export interface PushContext {
  readonly config: NotificationConfig
  readonly receiver: Receiver
  readonly message: Message
  readonly seq: number
  readonly isDeleted: boolean
  readonly sender: Side
  readonly group: Side | undefined
}

interface Side {
  readonly id: string
  readonly name: string
  readonly avatar?: string | undefined
}

/** Undefined: what it is about is gone. */
export async function contextOf(
  db: AppDb,
  { bucket, key, seq, actor }: PushJob['about'],
  addresses: FileAddresses | undefined,
): Promise<PushContext | undefined> {
  const receiver = await findReceiver(db, { bucket, key })
  const row = receiver && (await findEntry(db, { bucket, key }, seq))
  if (!receiver || !row) return undefined
  const people = profilesIn(db)
  const view = { viewer: undefined, members: true, addresses }
  const [text = ''] = await serialiseEntries(db, people, [{ row, receiver }], view)
  const guids = receiver.kind === 'group' ? [receiver.guid] : []
  const wanted = { uids: [actor], guids, blocks: false }
  const seen = (await loadCounterparts(people, wanted, undefined))({})
  const user = seen.user(actor)
  const group = guids[0] === undefined ? undefined : seen.group(guids[0])
  return {
    config: await notificationConfigOf(db),
    receiver,
    // As we have just printed it.
    message: JSON.parse(text) as Message,
    seq,
    isDeleted: row.deletedAt !== null,
    sender: { id: actor, name: user.name, avatar: user.avatar },
    group: group && { id: group.guid, name: group.name, avatar: group.icon },
  }
}

/** What the device gets, in the words of the app. */
export function dataFor(job: PushJob, context: PushContext): PushData {
  const { trigger, uid, name, choices, about } = job
  const { config, message, receiver, sender, group } = context
  const { preferences, usePrivacyTemplate } = effectivePreferences(config.settings, choices)
  const to = { uid, name }
  const subject = { trigger, category: message.category, type: message.type }
  const texts = pushTexts(
    config.settings.templates,
    { ...subject, receiverType: receiver.kind, usePrivacyTemplate },
    {
      message,
      to,
      senderDetails: sender,
      ...(group && { groupDetails: group }),
      ...(about.reaction !== undefined && { reaction: about.reaction }),
    },
  )
  return payloadOf({
    trigger,
    texts,
    sender,
    receiver: group ?? { id: uid, name },
    message,
    ...callOf(trigger, message),
    settings: preferences.push,
    usePrivacyTemplate,
  })
}

function callOf(trigger: PushJob['trigger'], { data, type }: Message) {
  if (!isCallTrigger(trigger)) return {}
  const { sessionId } = data as { sessionId?: unknown }
  const kind = type === 'video' ? ('video' as const) : ('audio' as const)
  return { call: { sessionId: typeof sessionId === 'string' ? sessionId : '', type: kind } }
}
