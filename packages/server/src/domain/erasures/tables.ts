/** What becomes of the rows of a table when a user is erased. */
export interface TableRule {
  /** Rows that name the user in one of these columns are deleted. */
  readonly rows?: readonly string[]
  /** Rows are deleted whose text has the uid as a JSON string. */
  readonly texts?: readonly string[]
  /** Rows are deleted that belong to a message of the user, by its id. */
  readonly messages?: string
  /** These columns get the pseudonym instead of the uid. */
  readonly names?: readonly string[]
  /** In these columns of type jsonb mentions of the user become mentions of the pseudonym. */
  readonly mentions?: readonly string[]
  /** In rows that are renamed, and in those that have the uid as a JSON string in it, this is emptied. */
  readonly blanks?: { readonly column: string; readonly to: string | null }
}

/** Tables that the job walks after the messages. */
export const ruledTables: Readonly<Record<string, TableRule>> = {
  api_keys: { names: ['created_by'] },
  audit_log: { names: ['uid'], blanks: { column: 'target', to: '{"erased": true}' } },
  // Those that a message names are removed with it, the others within a day.
  files: { names: ['uid'] },
  file_usage: { rows: ['uid'] },
  group_bans: { rows: ['uid'], names: ['banned_by'] },
  group_password_attempts: { rows: ['uid'] },
  groups: { names: ['updated_by'] },
  interactions: { rows: ['uid'] },
  moderation_cases: { messages: 'message_id', mentions: ['reported', 'verdict'] },
  moderation_classifications: { rows: ['sender'] },
  moderation_dry_run_matches: { rows: ['sender'] },
  moderation_flags: {
    messages: 'message_id',
    names: ['uid'],
    blanks: { column: 'remark', to: null },
  },
  moderation_submissions: { rows: ['sender', 'receiver'] },
  notification_deliveries: {
    rows: ['uid', 'sender', 'receiver', 'reaction_sender', 'reaction_receiver', 'member'],
  },
  participants: { rows: ['uid', 'with_uid'] },
  position_moves: { rows: ['uid'] },
  presence_leases: { rows: ['uid'] },
  stats_offsets: { rows: ['uid'] },
  thread_subscriptions: { rows: ['uid'] },
  webhook_deliveries: { texts: ['body'] },
}

/** Why the job does not look at the other tables. A test compares both with the schema. */
export const otherTables: Readonly<Record<string, string>> = {
  ...same('deleted with the user', [
    ...['users', 'auth_tokens', 'blocked_users', 'contact_details', 'friends', 'group_members'],
    ...['muted_conversations', 'notification_preferences', 'presence', 'push_tokens', 'saves'],
    ...['user_conversations', 'retention_rules'],
  ]),
  ...same('erased message by message', [
    ...['entries', 'entry_edits', 'entry_words', 'message_files', 'reactions'],
  ]),
  ...same('says nothing of a user', [
    ...['app_collaborators', 'app_erasures', 'app_settings', 'apps', 'conversations', 'extensions'],
    ...['file_checks', 'file_removals', 'file_stores'],
    ...['group_scope_permissions', 'handled_events', 'issuers', 'moderation_dry_runs'],
    ...['moderation_keyword_lists', 'moderation_reasons', 'moderation_rules'],
    ...['notification_log_switches', 'notification_providers', 'notification_settings', 'pins'],
    ...['retention_floors', 'retention_runs'],
    ...['push_certificates', 'push_settings', 'role_restricted_features', 'roles', 'stats_peaks'],
    ...['stats_points', 'threads', 'webhook_ordering_keys', 'webhooks'],
  ]),
  jwt_revocations: 'a JWT from before would create the user again; goes when no such JWT is valid',
  legal_holds: 'says who ordered what to be kept',
  outbox: 'empty but for the moment between a commit and the publication of its events',
  stats_active_users: 'hashes, deleted by age',
  user_erasures: 'says that it was done',
}

function same(why: string, tables: readonly string[]) {
  return Object.fromEntries(tables.map((table) => [table, why]))
}
