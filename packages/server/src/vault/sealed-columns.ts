import type { SealedPlace } from './vault.ts'

/** A column of sealed secrets. Every one is listed here: a change of the master key goes by the list. */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  /** The primary key, behind `app_id`. */
  readonly key: readonly string[]
  /** Its table belongs to the install: there is no `app_id`. */
  readonly ofInstall?: true
  /** Those columns of it that a secret is bound to, which is all of them unless secrets are copied. */
  readonly row?: readonly string[]
  /** What a secret is bound to instead of the column, where it moves from one column to another. */
  readonly boundAs?: string
  /** Its name in the first format; `row`: the row stood in its place. */
  readonly first: string | { readonly row: true }
}

export const sealedColumns = {
  apiKey: { table: 'api_keys', column: 'key_encrypted', key: ['key_hash'], first: 'key' },
  authToken: {
    table: 'auth_tokens',
    column: 'token_encrypted',
    key: ['token_hash'],
    first: 'token',
  },
  // The next revision of a list takes the secret over.
  classifierSecret: {
    table: 'moderation_keyword_lists',
    column: 'classifier_secret_encrypted',
    key: ['list_id', 'revision'],
    row: ['list_id'],
    first: 'classifier_secret',
  },
  fileStoreSecret: {
    table: 'file_stores',
    column: 'secret_encrypted',
    key: ['store_id'],
    first: { row: true },
  },
  providerSecret: {
    table: 'notification_providers',
    column: 'secret_encrypted',
    key: ['channel', 'kind', 'provider_id'],
    first: { row: true },
  },
  certificate: {
    table: 'push_certificates',
    column: 'certificate_encrypted',
    key: ['kind'],
    first: { row: true },
  },
  pushPrivateKey: {
    table: 'push_settings',
    column: 'private_key_encrypted',
    key: [],
    first: 'private_key',
  },
  webhookPassword: {
    table: 'webhooks',
    column: 'password_encrypted',
    key: ['webhook_id'],
    first: 'password',
  },
  webhookSecret: {
    table: 'webhooks',
    column: 'secret_encrypted',
    key: ['webhook_id'],
    first: 'secret',
  },
  // A new secret makes the one before it the old one.
  webhookOldSecret: {
    table: 'webhooks',
    column: 'old_secret_encrypted',
    key: ['webhook_id'],
    boundAs: 'secret_encrypted',
    first: 'secret',
  },
  secondFactor: {
    table: 'collaborators',
    column: 'totp_encrypted',
    key: ['collaborator_id'],
    ofInstall: true,
    first: { row: true },
  },
} as const satisfies Readonly<Record<string, SealedColumn>>

/** Where the secret of one row is; `row` in the order of the column's key. */
export function placeIn(
  column: SealedColumn,
  appId: string,
  ...row: readonly (string | Buffer)[]
): SealedPlace {
  const names = row.map((name) => (typeof name === 'string' ? name : name.toString('hex')))
  return {
    appId,
    table: column.table,
    field: column.boundAs ?? column.column,
    row: names.join('\0'),
    firstField: typeof column.first === 'string' ? column.first : names.join('/'),
  }
}
