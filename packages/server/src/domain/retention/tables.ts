/** Of these, rows that have the id of a deleted message are deleted. */
export const messageTables = [
  'moderation_cases',
  'moderation_classifications',
  'moderation_dry_run_matches',
  'notification_deliveries',
] as const

/** Of these, rows of the app that are as old as its messages may be, and that this is true of. */
export const besideTables: Readonly<Record<string, string>> = {
  webhook_deliveries: `status <> 'waiting'`,
  notification_deliveries: `status <> 'waiting'`,
  moderation_submissions: `status <> 'pending'`,
}

/** Why the job does not look at the other tables. A test compares all with the schema. */
export const otherTables: Readonly<Record<string, string>> = {
  ...same('emptied, or deleted, message by message', [
    ...['entries', 'entry_edits', 'entry_words', 'files', 'interactions', 'message_files'],
    ...['file_checks', 'file_removals', 'pins', 'position_moves'],
    ...['reactions', 'saves', 'thread_subscriptions', 'threads'],
  ]),
  moderation_flags: 'deleted with their case',
  ...same('says nothing that was said', [
    ...['api_keys', 'app_collaborators', 'app_erasures', 'app_settings', 'apps', 'auth_tokens'],
    ...['blocked_users', 'contact_details', 'conversations', 'extensions', 'friends'],
    ...['file_stores', 'file_usage'],
    ...['group_bans', 'group_members', 'group_password_attempts', 'group_scope_permissions'],
    ...['groups', 'handled_events', 'issuers', 'jwt_revocations', 'legal_holds'],
    ...['moderation_dry_runs', 'moderation_keyword_lists', 'moderation_reasons'],
    ...['moderation_rules', 'muted_conversations', 'notification_log_switches'],
    ...['notification_preferences', 'notification_providers', 'notification_settings'],
    ...['participants', 'presence', 'presence_leases', 'push_certificates', 'push_settings'],
    ...['push_tokens', 'retention_floors', 'retention_rules', 'retention_runs'],
    ...['role_restricted_features', 'roles', 'stats_active_users', 'stats_offsets'],
    ...['stats_peaks', 'stats_points', 'user_conversations', 'user_erasures', 'users'],
    ...['webhook_ordering_keys', 'webhooks'],
  ]),
  audit_log: 'who did what; deleted by its own age (AUDIT_KEEP_DAYS)',
  outbox: 'empty but for the moment between a commit and the publication of its events',
}

function same(why: string, tables: readonly string[]) {
  return Object.fromEntries(tables.map((table) => [table, why]))
}
