import type { Input } from '@chorale/contract/operation'
import type { Issuer, issuers } from '@chorale/contract/users'
import { paginationOf } from '../../../database/keyset.ts'
import { badRequest, Failure } from '../../../pipeline/failure.ts'
import type { Handlers, ReadCtx } from '../../../pipeline/handler.ts'
import { lockApp } from '../../apps/index.ts'
import { roleExists } from '../../roles/index.ts'
import {
  countIssuers,
  deleteIssuer,
  findIssuer,
  type IssuerRow,
  insertIssuer,
  isIssuerTaken,
  listIssuers,
  type NewIssuer,
  updateIssuer,
} from './issuers.sql.ts'

const maxIssuers = 10

/** What is wrong with an address to call, as far as can be said without calling it. */
type ObjectionToUrl = (url: string) => string | undefined

export function issuerHandlers(objectionToUrl: ObjectionToUrl): Handlers<typeof issuers> {
  const requireUsable = async (ctx: ReadCtx, { jwksUrl, settings }: NewIssuer) => {
    const objection = objectionToUrl(jwksUrl)
    if (objection !== undefined) throw badRequest('jwksUrl', objection)
    await requireRoles(ctx, settings.allowedRoles)
  }
  return {
    async createIssuer({ body }, ctx) {
      const { id, issuer, jwksUrl, enabled, ...settings } = body
      const row = { id, issuer, jwksUrl, enabled, settings }
      await requireUsable(ctx, row)
      await lockApp(ctx.db)
      if ((await countIssuers(ctx.db)) >= maxIssuers) {
        throw new Failure('ERR_PLAN_QUOTA_RESTRICTION', { limit: maxIssuers, what: 'issuers' })
      }
      await requireFreeName(ctx, row)
      const made = await insertIssuer(ctx.db, row, ctx.now)
      if (!made) throw taken('id', id)
      return { data: shown(made) }
    },

    async listIssuers({ query }, ctx) {
      const rows = await listIssuers(ctx.db, query)
      const pagination = paginationOf(query, rows.length, await countIssuers(ctx.db))
      return { data: rows.map(shown), meta: { pagination } }
    },

    async getIssuer({ params: { issuerId } }, ctx) {
      return { data: shown(await accessIssuer(ctx, issuerId)) }
    },

    async updateIssuer({ params: { issuerId }, body }, ctx) {
      // First: two changes of one issuer come one after the other.
      await lockApp(ctx.db)
      const row = changedBy(await accessIssuer(ctx, issuerId), body)
      await requireUsable(ctx, row)
      await requireFreeName(ctx, row)
      const changed = await updateIssuer(ctx.db, row, ctx.now)
      if (!changed) throw notFound(issuerId)
      await ctx.outbox.append('issuer.updated', { issuerId })
      return { data: shown(changed) }
    },

    async deleteIssuer({ params: { issuerId } }, ctx) {
      if (!(await deleteIssuer(ctx.db, issuerId))) throw notFound(issuerId)
      await ctx.outbox.append('issuer.deleted', { issuerId })
      return { data: { success: true, message: `The issuer ${issuerId} is deleted.` } }
    },
  }
}

type Changes = Input<typeof issuers.updateIssuer>['body']

function changedBy(row: IssuerRow, { unset = [], ...body }: Changes): NewIssuer {
  const { issuer = row.issuer, jwksUrl = row.jwksUrl, enabled = row.enabled, ...given } = body
  const settings = { ...row.settings, ...given }
  for (const field of unset) delete settings[field]
  return { id: row.id, issuer, jwksUrl, enabled, settings }
}

async function accessIssuer({ db }: ReadCtx, id: string): Promise<IssuerRow> {
  const row = await findIssuer(db, id)
  if (!row) throw notFound(id)
  return row
}

async function requireFreeName({ db }: ReadCtx, row: NewIssuer): Promise<void> {
  if (await isIssuerTaken(db, row)) throw taken('iss', row.issuer)
}

async function requireRoles({ db }: ReadCtx, roles: readonly string[]): Promise<void> {
  for (const role of new Set(roles)) {
    if (!(await roleExists(db, role))) {
      throw badRequest('allowedRoles', `The role ${role} does not exist.`)
    }
  }
}

function shown({
  id,
  issuer,
  jwksUrl,
  settings,
  enabled,
  createdAt,
  updatedAt,
}: IssuerRow): Issuer {
  return { id, issuer, jwksUrl, ...settings, enabled, createdAt, updatedAt }
}

function notFound(id: string): Failure {
  return new Failure('ERR_ISSUER_NOT_FOUND', { id })
}

function taken(field: string, value: string): Failure {
  return new Failure('ERR_ISSUER_ALREADY_EXISTS', { field, value })
}
