import { loadGroups, settleEntries } from '../data/many-entries.ts'
import { crowd, loadUsers, type Query, settleTables } from '../data/many-users.ts'

/** How much there is of what the console shows. */
export interface ConsoleSize {
  readonly users: number
  /** Messages that wait for moderators, blocked and flagged in turn; a fifth as many are decided. */
  readonly cases: number
  readonly deliveries: number
  readonly auditLines: number
  /** Events that a listener refuses: made by calls. */
  readonly deadLetters: number
  readonly apps: number
  readonly collaborators: number
  /** Users who were active on each of the last thirty days. */
  readonly activeUsers: number
}

export const filled = {
  webhookId: 'shop',
  ruleId: 'no-spam',
  prefix: 'talk',
  /** In a hundred groups. */
  uid: 'talk-1',
  guid: 'talk-1',
} as const

const entriesPerGroup = 100
const members = 10
const [now, day] = [Math.floor(Date.now() / 1000), 86_400]

/** Fills an app past the API. The rule and the webhook are there already. */
export async function fillInstall(
  query: Query,
  appId: string,
  size: ConsoleSize,
  condition: object | undefined,
): Promise<void> {
  await loadUsers(query, appId, size.users)
  await query(
    `insert into users (app_id, uid, name, sort_name, role, created_at)
     select $1, '${filled.prefix}-' || n, 'Talker ' || n, 'talker ' || n, 'default', 1700000000
     from generate_series(1, ${members}) as n`,
    [appId],
  )
  await query(
    `insert into contact_details (app_id, uid, email, updated_at)
     select app_id, uid, uid || '@example.com', created_at from users
     where app_id = $1 and uid like '${crowd.uidPrefix}%'`,
    [appId],
  )
  const groups = Math.ceil((size.cases * 1.2) / entriesPerGroup)
  await loadGroups(query, appId, {
    prefix: filled.prefix,
    groups,
    members,
    entries: entriesPerGroup,
  })
  await fillCases(query, appId, size.cases, condition)
  await fillDeliveries(query, appId, size.deliveries)
  await fillInstallTables(query, appId, size)
  await settleTables(query)
  await settleEntries(query)
  await query('vacuum (analyze)')
}

async function fillCases(
  query: Query,
  appId: string,
  count: number,
  condition: object | undefined,
): Promise<void> {
  const verdict = {
    rule: { id: filled.ruleId, name: 'No spam', revisionId: `${filled.ruleId}_1` },
    condition,
    actions: ['blockMessage'],
  }
  await query(
    `insert into moderation_cases (app_id, message_id, bucket, conversation_key, seq, kind, status,
                                   verdict, created_at, updated_at)
     select app_id, id, bucket, conversation_key, seq,
            case when nth % 2 = 0 then 'blocked' else 'flagged' end,
            case when nth > $2 then 'approved' else 'open' end,
            case when nth % 2 = 0 then $3::jsonb end, ${now} - nth, ${now} - nth
     from (select e.*, row_number() over (order by id desc) as nth from entries e
           where app_id = $1) as e`,
    [appId, count, JSON.stringify(verdict)],
  )
  await query(
    `insert into moderation_flags (app_id, message_id, uid, reason_id, flagged_at)
     select app_id, message_id, '${filled.prefix}-2', 'spam', created_at from moderation_cases
     where app_id = $1 and kind = 'flagged'`,
    [appId],
  )
}

async function fillDeliveries(query: Query, appId: string, count: number): Promise<void> {
  // Older ones belong to an earlier webhook of the same id.
  await query('update webhooks set created_at = 1700000000 where app_id = $1', [appId])
  const log = [{ at: now, tookMs: 12, status: 200, answer: 'ok' }]
  await query(
    `insert into webhook_deliveries (app_id, webhook_id, delivery_id, event_id, trigger,
                                     ordering_key, body, status, opened_at, tries, attempts, log,
                                     created_at)
     select $1, '${filled.webhookId}',
            (lpad(to_hex((${now}::bigint - $2 + n) * 1000), 12, '0') || '7' ||
             substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid,
            'event-' || n, 'message_sent', '', '{"trigger":"message_sent","n":' || n || '}',
            case when n % 10 = 0 then 'failed' else 'delivered' end, ${now}, 1, 1, $3::jsonb,
            ${now} - $2 + n
     from generate_series(1, $2::int) as n`,
    [appId, count, JSON.stringify(log)],
  )
  await query(
    `insert into notification_deliveries (app_id, source, trigger, uid, channel, device, status,
                                          due_at, message_id, sender, created_at)
     select app_id, 'source-' || nth, 'messages', $2, 'push', ''::bytea, 'sent', 0, id, sender,
            ${now} - nth
     from (select e.*, row_number() over (order by id desc) as nth from entries e
           where app_id = $1) as e
     where nth <= $3`,
    [appId, filled.uid, count],
  )
}

async function fillInstallTables(query: Query, appId: string, size: ConsoleSize): Promise<void> {
  await query(
    `insert into apps (app_id, name, region, created_at)
     select 'filler' || n, 'Filler ' || n, 'eu', 1700000000 + n
     from generate_series(1, $1::int) as n`,
    [size.apps],
  )
  await query(
    `insert into audit_log (app_id, at, caller, operation, target, request_id, name)
     select case when n % 2 = 0 then $1 else 'filler' || 1 + n % $3 end, ${now} - $2 + n, 'key:server',
            case when n % 100 = 0 then 'createApiKey' else 'updateUser' end,
            jsonb_build_object('params', jsonb_build_object('uid', 'u' || n)), 'request-' || n, null
     from generate_series(1, $2::int) as n`,
    [appId, size.auditLines, size.apps],
  )
  await query(
    `with people as (
       insert into collaborators (email, name, created_at)
       select 'filler' || n || '@example.com', 'Filler ' || n, 1700000000
       from generate_series(1, $2::int) as n returning collaborator_id)
     insert into app_collaborators (app_id, collaborator_id, role, created_at)
     select $1, collaborator_id, 'moderator', 1700000000 from people`,
    [appId, size.collaborators],
  )
  await query(
    `insert into stats_points (app_id, grain, starts_at, part, messages)
     select a.app_id, ${day}, ${now - (now % day)} - d * ${day}, 0, 100 + d
     from apps a, generate_series(0, 29) as d`,
  )
  await query(
    `insert into stats_active_users (app_id, day, user_hash)
     select $1, ${Math.floor(now / day)} - d, hashint8extended(n + d * 1000, 0)
     from generate_series(1, $2::int) as n, generate_series(0, 29) as d`,
    [appId, size.activeUsers],
  )
}
