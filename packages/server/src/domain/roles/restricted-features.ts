import type { ItemOutcome } from '@chorale/contract/envelope'
import type { restrictedFeatures } from '@chorale/contract/roles'
import { paginationOf } from '../../database/keyset.ts'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { Handlers, ReadCtx } from '../../pipeline/handler.ts'
import { features } from './features.ts'
import {
  countRestrictedFeatures,
  deleteRestrictedFeatures,
  insertRestrictedFeatures,
  listRestrictedFeatures,
} from './restricted-features.sql.ts'
import { roleExists } from './roles.sql.ts'

export const restrictedFeatureHandlers: Handlers<typeof restrictedFeatures> = {
  async restrictFeatures({ params: { role }, body }, ctx) {
    await accessRole(ctx, role)
    const wanted = new Set(body.featuresToRestrict.map(bare))
    const known = [...wanted].filter((key) => features.has(key))
    await insertRestrictedFeatures(ctx.db, role, known, ctx.now)
    await ctx.outbox.append('role.featuresRestricted', { role, features: known })
    return { data: Object.fromEntries([...wanted].map((key) => [`u.${key}`, outcome(key)])) }
  },

  async listRestrictedFeatures({ params: { role }, query }, ctx) {
    await accessRole(ctx, role)
    const rows = await listRestrictedFeatures(ctx.db, role, query)
    const total = await countRestrictedFeatures(ctx.db, role)
    return {
      data: rows.map(({ feature, createdAt }) => shown(feature, createdAt)),
      meta: { pagination: paginationOf(query, rows.length, total) },
    }
  },

  async allowFeatures({ params: { role }, body }, ctx) {
    await accessRole(ctx, role)
    if (!body.allowAll && !body.featuresToAllow) {
      throw badRequest('featuresToAllow', 'Name the features, or send allowAll: true.')
    }
    const wanted = body.allowAll ? [...features.keys()] : (body.featuresToAllow ?? []).map(bare)
    await deleteRestrictedFeatures(ctx.db, role, wanted)
    await ctx.outbox.append('role.featuresAllowed', { role, features: wanted })
    return { data: { success: true, message: 'The features are allowed.' } }
  },
}

async function accessRole({ db }: ReadCtx, role: string): Promise<void> {
  if (!(await roleExists(db, role))) throw new Failure('ERR_ROLE_NOT_FOUND', { role })
}

/** Answers carry the prefix `u.`, requests may. */
function bare(key: string): string {
  return key.replace(/^u\./, '')
}

function outcome(key: string): ItemOutcome {
  return features.has(key)
    ? { success: true, message: 'Restricted.' }
    : { success: false, message: 'No such feature.' }
}

function shown(key: string, createdAt: number) {
  const { title = key, path = '' } = features.get(key) ?? {}
  return { title, description: `${title} (${key}).`, key: `u.${key}`, path, createdAt }
}
