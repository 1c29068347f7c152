import type {
  KeywordList,
  KeywordListForm,
  keywordLists,
  keywordListsOfApp,
} from '@chorale/contract/rules'
import type { AppIdentity } from '../../../pipeline/caller.ts'
import { badRequest, Failure } from '../../../pipeline/failure.ts'
import type { Handlers, ReadCtx, WriteCtx } from '../../../pipeline/handler.ts'
import { limitOf, lockApp, nextModerationVersion } from '../../apps/index.ts'
import { isClassifier } from '../classifiers/classifier-categories.ts'
import {
  classifierFrom,
  type ObjectionToUrl,
  shownClassifier,
} from '../classifiers/classifier-lists.ts'
import type { Compiler } from '../compiler/compiler.ts'
import { defaultLists } from '../default-rules.ts'
import { nothing } from '../engine/weight.ts'
import { withinLimits } from '../in-force.ts'
import { findRules, revisionIdOf } from '../rules.ts'
import {
  countLists,
  findActiveList,
  findActiveLists,
  insertListRevision,
  type KeywordListRow,
  lastListRevision,
  retireList,
} from './keyword-lists.sql.ts'
import type { WeighedTerms } from './list-terms.ts'
import { idFrom, pageOf } from './lists.ts'

type Prepared = 'createKeywordList' | 'updateKeywordList'

export function keywordListHandlers(
  compiler: Compiler,
  objectionToUrl: ObjectionToUrl,
): Handlers<typeof keywordLists, Prepared> {
  return {
    createKeywordList: {
      async prepare({ form }, { app }) {
        const terms = await termsOf(compiler, app, form)
        return async (ctx) => {
          const id = form.id ?? idFrom(form.name)
          await lockApp(ctx.db)
          await refuseAnother(ctx, id)
          if (!terms) throw badRequest('searchTerms', 'This field is required.')
          return save(ctx, {
            id,
            name: form.name ?? id,
            description: form.description ?? null,
            category: form.category,
            ...terms,
            ...classifierFrom(ctx, id, form, undefined, objectionToUrl),
            createdAt: ctx.now,
          })
        }
      },
    },

    async listKeywordLists({ query }, ctx) {
      const lists = [...defaultLists.values(), ...(await findActiveLists(ctx.db))]
      return pageOf(lists, query, (row) => {
        const list = shown(ctx, row)
        const appId = ownerOf(ctx, row)
        return { ...list, _id: list.revisionId, appId, __v: row.revision - 1 }
      })
    },

    async getKeywordList({ params: { keywordId } }, ctx) {
      return { data: shown(ctx, await accessList(ctx, keywordId)) }
    },

    updateKeywordList: {
      async prepare({ params: { keywordId }, form }, { app }) {
        const terms = await termsOf(compiler, app, form)
        return async (ctx) => {
          await lockApp(ctx.db)
          const list = await accessList(ctx, keywordId)
          refuseDefault(keywordId)
          if (form.category !== list.category) await refuseInUse(ctx, keywordId)
          return save(ctx, {
            ...list,
            name: form.name ?? list.name,
            description: form.description ?? list.description,
            category: form.category,
            ...terms,
            ...classifierFrom(ctx, list.id, form, list, objectionToUrl),
          })
        }
      },
    },

    async deleteKeywordList({ params: { keywordId } }, ctx) {
      await lockApp(ctx.db)
      await accessList(ctx, keywordId)
      refuseDefault(keywordId)
      await refuseInUse(ctx, keywordId)
      await retireList(ctx.db, keywordId)
      await ctx.outbox.append('keywordList.deleted', { keywordId })
      return { data: { success: true, message: `The keyword list ${keywordId} is deleted.` } }
    },
  }
}

/** One handler, two addresses. */
export function keywordListOfAppHandlers(
  compiler: Compiler,
  objectionToUrl: ObjectionToUrl,
): Handlers<typeof keywordListsOfApp, 'createKeywordListOfApp' | 'updateKeywordListOfApp'> {
  const handlers = keywordListHandlers(compiler, objectionToUrl)
  return {
    createKeywordListOfApp: handlers.createKeywordList,
    listKeywordListsOfApp: handlers.listKeywordLists,
    getKeywordListOfApp: handlers.getKeywordList,
    updateKeywordListOfApp: handlers.updateKeywordList,
    deleteKeywordListOfApp: handlers.deleteKeywordList,
  }
}

async function accessList({ db }: ReadCtx, keywordId: string): Promise<KeywordListRow> {
  const list = defaultLists.get(keywordId) ?? (await findActiveList(db, keywordId))
  if (!list) throw new Failure('ERR_KEYWORD_LIST_NOT_FOUND', { keywordId })
  return list
}

function refuseDefault(keywordId: string): void {
  if (!defaultLists.has(keywordId)) return
  throw new Failure('ERR_OPERATION_FAILED', { what: 'Make a list of your own.' })
}

async function refuseInUse(ctx: ReadCtx, keywordId: string): Promise<void> {
  const user = (await findRules(ctx)).find(({ conditions }) =>
    conditions.some((one) => one.isKeywordsReferencePresent && one.value.includes(keywordId)),
  )
  if (user) throw new Failure('ERR_KEYWORD_LIST_IN_USE', { keywordId, ruleId: user.id })
}

async function refuseAnother(ctx: ReadCtx, id: string): Promise<void> {
  if (defaultLists.has(id) || (await findActiveList(ctx.db, id))) {
    throw new Failure('ERR_KEYWORD_LIST_ALREADY_EXISTS', { keywordId: id })
  }
  const limit = limitOf(ctx.app, 'moderation.listLimit')
  if ((await countLists(ctx.db)) >= limit) {
    throw new Failure('ERR_PLAN_QUOTA_RESTRICTION', { limit, what: 'keyword lists' })
  }
}

/** Before the transaction, in another thread. Undefined: the call gives none. */
async function termsOf(
  compiler: Compiler,
  { appId }: AppIdentity,
  { category, file, searchTerms, disallowedSentences }: KeywordListForm,
): Promise<WeighedTerms | undefined> {
  if (isClassifier(category)) return { searchTerms: [], isCSV: false, weight: nothing }
  const given = { category, file, searchTerms, disallowedSentences }
  return compiler.run(appId, 'weighList', given)
}

async function save(
  ctx: WriteCtx,
  content: Omit<KeywordListRow, 'revision' | 'active' | 'updatedAt'>,
) {
  return withinLimits(ctx, async () => {
    await retireList(ctx.db, content.id)
    const revision = (await lastListRevision(ctx.db, content.id)) + 1
    const row = { ...content, revision, active: true, updatedAt: ctx.now }
    await insertListRevision(ctx.db, row)
    await nextModerationVersion(ctx.db)
    const data = shown(ctx, row)
    const { id: keywordId, revisionId } = data
    await ctx.outbox.append('keywordList.saved', { keywordId, revisionId })
    return { data }
  })
}

function ownerOf({ app }: ReadCtx, { id }: KeywordListRow): string {
  return defaultLists.has(id) ? 'default' : app.appId
}

function shown(ctx: ReadCtx, row: KeywordListRow): KeywordList {
  const { revision, description, classifier: _, classifierSecret: __, weight: ___, ...rest } = row
  return {
    ...rest,
    ...shownClassifier(row),
    ...(description !== null && { description }),
    ...(defaultLists.has(row.id) && { default: true }),
    revisionId: revisionIdOf(ownerOf(ctx, row), row.id, revision),
  }
}
