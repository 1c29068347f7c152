import { isSameOrigin } from '../../../egress/urls.ts'
import { badRequest, Failure } from '../../../pipeline/failure.ts'
import type { ReadCtx, WriteCtx } from '../../../pipeline/handler.ts'
import { isMaskOf } from '../../../vault/mask.ts'
import { placeIn, sealedColumns } from '../../../vault/sealed-columns.ts'
import type { SealedPlace } from '../../../vault/vault.ts'
import { lockApp } from '../../apps/index.ts'
import {
  deleteProvider,
  findProvider,
  listProviders,
  type ProviderKey,
  type ProviderRow,
  setDefaultProvider,
  writeProvider,
} from './providers.sql.ts'

/** With its secret opened. */
export type Provider = Omit<ProviderRow, 'secretEncrypted'> & { readonly secret: string }

/** What a call says about a provider. What it leaves out stays as it is. */
export interface ProviderChange {
  readonly settings: Readonly<Record<string, unknown>>
  readonly secret: string | undefined
  readonly isEnabled: boolean | undefined
}

export async function accessProvider(ctx: ReadCtx, key: ProviderKey): Promise<Provider> {
  const row = await findProvider(ctx.db, key)
  if (!row) throw new Failure('ERR_PROVIDER_NOT_FOUND', { providerId: key.providerId })
  return opened(ctx, row)
}

/** Locks the app, so that two changes do not undo each other. */
export async function changeProvider(ctx: WriteCtx, key: ProviderKey, change: ProviderChange) {
  await lockApp(ctx.db)
  const before = await accessProvider(ctx, key)
  const { secret } = before
  const settings = { ...before.settings, ...change.settings }
  // Whoever saves what was shown has not meant to change the secret.
  const given = isMaskOf(change.secret, secret) ? undefined : change.secret
  // Or whoever may change the address could have the secret sent to themselves.
  if (secret !== '' && given === undefined && movesAway(before.settings, settings)) {
    throw badRequest('basicAuthPassword', 'Send this secret again when the address changes.')
  }
  await storeProvider(ctx, key, {
    settings,
    secret: given ?? secret,
    isEnabled: change.isEnabled ?? before.isEnabled,
  })
}

type Settings = ProviderChange['settings']

function movesAway({ webhookURL: before }: Settings, { webhookURL: after }: Settings): boolean {
  return typeof before === 'string' && !isSameOrigin(before, String(after))
}

/** Adds, or takes the place of the one that is there. */
export async function storeProvider(ctx: WriteCtx, key: ProviderKey, change: ProviderChange) {
  const { settings, secret = '', isEnabled = true } = change
  const secretEncrypted = ctx.vault.seal(secret, secretPlace(ctx.db.appId, key))
  await writeProvider(ctx.db, { ...key, settings, secretEncrypted, isEnabled, updatedAt: ctx.now })
}

export async function makeDefault(ctx: WriteCtx, key: ProviderKey): Promise<void> {
  await lockApp(ctx.db)
  await accessProvider(ctx, key)
  await setDefaultProvider(ctx.db, key)
}

/** Of those that are left, the oldest becomes the default, unless there is one. */
export async function removeProvider(ctx: WriteCtx, key: ProviderKey): Promise<void> {
  await lockApp(ctx.db)
  const deleted = await deleteProvider(ctx.db, key)
  if (!deleted) throw new Failure('ERR_PROVIDER_NOT_FOUND', { providerId: key.providerId })
  const left = await listProviders(ctx.db, key.channel, key.kind)
  const [oldest] = left
  if (oldest && !left.some(({ isDefault }) => isDefault)) await setDefaultProvider(ctx.db, oldest)
}

export function opened({ db, vault }: Pick<ReadCtx, 'db' | 'vault'>, row: ProviderRow): Provider {
  const { secretEncrypted, ...rest } = row
  return { ...rest, secret: vault.open(secretEncrypted, secretPlace(db.appId, row)) }
}

function secretPlace(appId: string, { channel, kind, providerId }: ProviderKey): SealedPlace {
  return placeIn(sealedColumns.providerSecret, appId, channel, kind, providerId)
}
