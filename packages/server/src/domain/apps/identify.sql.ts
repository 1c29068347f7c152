import type { ApiKeyScope, Region } from '@chorale/contract/apps'
import type { RolePermissions, RoleSettings } from '@chorale/contract/roles'
import { byteas, texts } from '../../database/arrays.ts'
import type { Db } from '../../database/db.ts'
import { byPlace } from '../../database/loader.ts'
import { prepared, run } from '../../database/prepared.ts'

export interface AppRow {
  readonly region: Region
  readonly moderationVersion: number
  readonly gated: boolean
  readonly held: boolean
  readonly appVersion: number
  readonly settings: Record<string, unknown>
}

export interface AppAndKey extends AppRow {
  readonly key: { readonly name: string; readonly scope: ApiKeyScope } | null
}

export interface KeyQuestion {
  readonly appId: string
  /** Null: only the app is asked for. */
  readonly keyHash: Buffer | null
}

const appColumns = `a.region, a.held_at is not null as held, a.moderation_version as "moderationVersion",
          a.row_version as "appVersion", exists (
            select from webhooks h where h.app_id = a.app_id and h.enabled and h.version = 1
              and h.triggers @> '{before_message}') as gated,
          coalesce((select jsonb_object_agg(s.key, s.value) from app_settings s
                    where s.app_id = a.app_id), '{}') as settings`

const appsAndKeys = prepared<AppAndKey & { place: number }>(
  'apps and keys',
  `select w.place, ${appColumns},
          (select jsonb_build_object('name', k.name, 'scope', k.scope) from api_keys k
           where k.app_id = a.app_id and k.key_hash = w.key_hash) as key
   from unnest($1::text[], $2::bytea[]) with ordinality as w(app_id, key_hash, place)
   join apps a on a.app_id = w.app_id
   where a.archived_at is null`,
)

/** The app with its settings, and the key if it has one of that hash: one statement for all. */
export async function findAppsAndKeys(
  db: Db,
  questions: readonly KeyQuestion[],
): Promise<(AppAndKey | undefined)[]> {
  const rows = await run(db, appsAndKeys, [
    texts(questions.map(({ appId }) => appId)),
    byteas(questions.map(({ keyHash }) => keyHash)),
  ])
  return byPlace(questions, rows)
}

export function keyQuestionName({ appId, keyHash }: KeyQuestion): string {
  return `${appId} ${keyHash?.toString('base64') ?? ''}`
}

export interface ActorRow {
  readonly uid: string
  readonly role: string
  readonly roleSettings: RoleSettings | null
  readonly permissions: RolePermissions
  readonly restrictedFeatures: readonly string[]
  readonly rowVersion: number
  /** Of the app, which stands for its roles. */
  readonly appVersion: number
}

export interface ActorQuestion {
  readonly appId: string
  readonly uid: string
}

const actorColumns = `u.uid, u.role, u.row_version as "rowVersion", r.settings as "roleSettings", r.permissions,
          array(select f.feature from role_restricted_features f
                where f.app_id = u.app_id and f.role = u.role) as "restrictedFeatures"`

const actors = prepared<ActorRow & { place: number }>(
  'actors',
  `select w.place, ${actorColumns}, a.row_version as "appVersion"
   from unnest($1::text[], $2::text[]) with ordinality as w(app_id, uid, place)
   join apps a on a.app_id = w.app_id
   join users u on u.app_id = w.app_id and u.uid = w.uid
   join roles r on r.app_id = u.app_id and r.role = u.role
   where u.deactivated_at is null`,
)

export async function findActors(
  db: Db,
  questions: readonly ActorQuestion[],
): Promise<(ActorRow | undefined)[]> {
  const rows = await run(db, actors, [
    texts(questions.map(({ appId }) => appId)),
    texts(questions.map(({ uid }) => uid)),
  ])
  return byPlace(questions, rows)
}

export function actorQuestionName({ appId, uid }: ActorQuestion): string {
  return `${appId} ${uid}`
}

export interface AppAndActor extends AppRow {
  /** Whose token it is; null: nobody's, or of a user who is deactivated. */
  readonly actor: (Omit<ActorRow, 'appVersion'> & { readonly expiresAt: number | null }) | null
}

export interface TokenQuestion {
  readonly appId: string
  readonly tokenHash: Buffer
}

/** A JWT holds as long as its issuer is as it was when the JWT was verified. */
const trusted = `(t.issuer_version is null or exists (
                 select from issuers i where i.app_id = t.app_id and i.issuer_id = t.issuer_id
                   and i.version = t.issuer_version))`

const appsAndTokens = prepared<AppAndActor & { place: number }>(
  'apps and tokens',
  `select w.place, ${appColumns},
          (select to_jsonb(x) from (
             select ${actorColumns}, t.expires_at as "expiresAt" from auth_tokens t
             join users u on u.app_id = t.app_id and u.uid = t.uid
             join roles r on r.app_id = u.app_id and r.role = u.role
             where t.app_id = a.app_id and t.token_hash = w.token_hash
               and u.deactivated_at is null and ${trusted}) x) as actor
   from unnest($1::text[], $2::bytea[]) with ordinality as w(app_id, token_hash, place)
   join apps a on a.app_id = w.app_id
   where a.archived_at is null`,
)

/** The app with its settings, and the user of the token of that hash: one statement for all. */
export async function findAppsAndActors(
  db: Db,
  questions: readonly TokenQuestion[],
): Promise<(AppAndActor | undefined)[]> {
  const rows = await run(db, appsAndTokens, [
    texts(questions.map(({ appId }) => appId)),
    byteas(questions.map(({ tokenHash }) => tokenHash)),
  ])
  return byPlace(questions, rows)
}

export function tokenQuestionName({ appId, tokenHash }: TokenQuestion): string {
  return `${appId} ${tokenHash.toString('base64')}`
}

const validTokens = prepared<{ place: number; held: boolean }>(
  'valid tokens',
  `select w.place, a.held_at is not null as held
   from unnest($1::text[], $2::bytea[]) with ordinality as w(app_id, token_hash, place)
   join apps a on a.app_id = w.app_id and a.archived_at is null
   join auth_tokens t on t.app_id = w.app_id and t.token_hash = w.token_hash
     and (t.expires_at is null or t.expires_at > $3) and ${trusted}
   join users u on u.app_id = t.app_id and u.uid = t.uid and u.deactivated_at is null`,
)

/** What a device with a token would be told if it came now. */
export type Standing = 'valid' | 'held' | 'refused'

/** Of each token, what a device with it would be told: one statement for all. */
export async function standingsOf(
  db: Db,
  questions: readonly TokenQuestion[],
  now: number,
): Promise<Standing[]> {
  const rows = await run(db, validTokens, [
    texts(questions.map(({ appId }) => appId)),
    byteas(questions.map(({ tokenHash }) => tokenHash)),
    now,
  ])
  return byPlace(questions, rows).map((row) => {
    if (!row) return 'refused'
    return row.held ? 'held' : 'valid'
  })
}
