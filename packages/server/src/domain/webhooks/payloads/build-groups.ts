import type { CurrentTrigger } from '@chorale/contract/webhooks'
import type { AppDb } from '../../../database/app-db.ts'
import type { HeardEvent } from '../../../outbox/listener.ts'
import { groupConversationId, loadCounterparts, profilesIn } from '../../views/index.ts'
import type { Wanted, WebhookPayload } from './payload.ts'
import { findFounders } from './payload-rows.sql.ts'

type Heard = HeardEvent<'group.created' | 'group.updated' | 'group.deleted' | 'group.ownerChanged'>

const triggers: Readonly<Record<Heard['name'], CurrentTrigger>> = {
  'group.created': 'group_created',
  'group.updated': 'group_updated',
  'group.deleted': 'group_deleted',
  'group.ownerChanged': 'group_owner_transferred',
}

/** A group as it is now; one that is gone, as it was last. */
export async function buildGroup(
  event: Heard,
  db: AppDb,
  wanted: Wanted,
): Promise<WebhookPayload[]> {
  const trigger = triggers[event.name]
  if (!wanted(2, trigger)) return []
  const { guid } = event.payload
  const founders = trigger === 'group_created' ? await findFounders(db, guid, event.at) : []
  const uids = founders.map(({ uid }) => uid)
  const load = await loadCounterparts(
    profilesIn(db),
    { uids, guids: [guid], blocks: false },
    undefined,
  )
  const seen = load({ withTags: true })
  const group = 'group' in event.payload ? event.payload.group : seen.group(guid)
  if (!group) return []
  const members = founders.map(({ uid, ...rest }) => [uid, { ...seen.user(uid), ...rest }])
  const { payload } = event
  const data = {
    group: 'oldOwner' in payload ? { ...group, oldOwner: payload.oldOwner } : group,
    ...(trigger === 'group_created' && { members: Object.fromEntries(members) }),
  }
  const orderingKey = groupConversationId(guid)
  return [{ version: 2, trigger, orderingKey, data: JSON.stringify(data) }]
}
