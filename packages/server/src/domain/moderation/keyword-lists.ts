import { isUtf8 } from 'node:buffer'
import type {
  KeywordList,
  KeywordListForm,
  keywordLists,
  keywordListsOfApp,
} from '@chorale/contract/moderation'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { Ctx, Handlers } from '../../pipeline/handler.ts'
import { limitOf, lockApp, nextModerationVersion } from '../apps/index.ts'
import { checkPatterns } from './conditions.ts'
import { defaultLists } from './default-rules.ts'
import { isJudge, judgeFrom, type ObjectionToUrl, shownJudge } from './judge-lists.ts'
import {
  countLists,
  findActiveList,
  findActiveLists,
  insertListRevision,
  type KeywordListRow,
  lastListRevision,
  retireList,
} from './keyword-lists.sql.ts'
import { idFrom, pageOf } from './lists.ts'
import { findRules, revisionIdOf } from './rules.ts'
import { termsIn } from './terms.ts'

const mostTerms = 20_000
const longestWord = 200

export function keywordListHandlers(objectionToUrl: ObjectionToUrl): Handlers<typeof keywordLists> {
  return {
    async createKeywordList({ form }, ctx) {
      const id = form.id ?? idFrom(form.name)
      await lockApp(ctx.db)
      if (defaultLists.has(id) || (await findActiveList(ctx.db, id))) {
        throw new Failure('ERR_KEYWORD_LIST_ALREADY_EXISTS', { keywordId: id })
      }
      const limit = limitOf(ctx.app, 'moderation.listLimit')
      if ((await countLists(ctx.db)) >= limit) {
        throw new Failure('ERR_PLAN_QUOTA_RESTRICTION', { limit, what: 'keyword lists' })
      }
      const terms = termsOf(form)
      if (!terms) throw badRequest('searchTerms', 'This field is required.')
      return save(ctx, {
        id,
        name: form.name ?? id,
        description: form.description ?? null,
        category: form.category,
        ...terms,
        ...judgeFrom(ctx, form, undefined, objectionToUrl),
        createdAt: ctx.now,
      })
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

    async updateKeywordList({ params: { keywordId }, form }, ctx) {
      await lockApp(ctx.db)
      const list = await accessList(ctx, keywordId)
      refuseDefault(keywordId)
      if (form.category !== list.category) await refuseInUse(ctx, keywordId)
      await retireList(ctx.db, keywordId)
      return save(ctx, {
        ...list,
        name: form.name ?? list.name,
        description: form.description ?? list.description,
        category: form.category,
        ...termsOf(form),
        ...judgeFrom(ctx, form, list, objectionToUrl),
      })
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
  objectionToUrl: ObjectionToUrl,
): Handlers<typeof keywordListsOfApp> {
  const handlers = keywordListHandlers(objectionToUrl)
  return {
    createKeywordListOfApp: handlers.createKeywordList,
    listKeywordListsOfApp: handlers.listKeywordLists,
    getKeywordListOfApp: handlers.getKeywordList,
    updateKeywordListOfApp: handlers.updateKeywordList,
    deleteKeywordListOfApp: handlers.deleteKeywordList,
  }
}

async function accessList({ db }: Ctx, keywordId: string): Promise<KeywordListRow> {
  const list = defaultLists.get(keywordId) ?? (await findActiveList(db, keywordId))
  if (!list) throw new Failure('ERR_KEYWORD_LIST_NOT_FOUND', { keywordId })
  return list
}

function refuseDefault(keywordId: string): void {
  if (!defaultLists.has(keywordId)) return
  throw new Failure('ERR_OPERATION_FAILED', { what: 'Make a list of your own.' })
}

async function refuseInUse(ctx: Ctx, keywordId: string): Promise<void> {
  const user = (await findRules(ctx)).find(({ conditions }) =>
    conditions.some((one) => one.isKeywordsReferencePresent && one.value.includes(keywordId)),
  )
  if (user) throw new Failure('ERR_KEYWORD_LIST_IN_USE', { keywordId, ruleId: user.id })
}

/** Undefined: the call gives none. */
function termsOf({ category, file, searchTerms, disallowedSentences }: KeywordListForm) {
  if (isJudge(category)) return { searchTerms: [], isCSV: false }
  const given = file === undefined ? searchTerms : textOf(file)
  const isSentences = category === 'sentence-similarity' && disallowedSentences !== undefined
  if (!isSentences && given === undefined) return undefined
  const terms = isSentences ? disallowedSentences : termsIn(given ?? '', category)
  const field = isSentences ? 'disallowedSentences' : file === undefined ? 'searchTerms' : 'file'
  if (terms.length > mostTerms) throw badRequest(field, `A list has at most ${mostTerms} terms.`)
  if (category === 'pattern') checkPatterns(field, terms)
  if (category === 'word' && terms.some(({ length }) => length > longestWord)) {
    throw badRequest(field, `A word has at most ${longestWord} characters.`)
  }
  return { searchTerms: [...terms], isCSV: file !== undefined }
}

/** Files of a form come in base64. */
function textOf(file: string): string {
  const bytes = Buffer.from(file, 'base64')
  if (!isUtf8(bytes) || bytes.includes(0)) throw badRequest('file', 'The file is not UTF-8 text.')
  return bytes.toString('utf8')
}

async function save(ctx: Ctx, content: Omit<KeywordListRow, 'revision' | 'active' | 'updatedAt'>) {
  const revision = (await lastListRevision(ctx.db, content.id)) + 1
  const row = { ...content, revision, active: true, updatedAt: ctx.now }
  await insertListRevision(ctx.db, row)
  await nextModerationVersion(ctx.db)
  const data = shown(ctx, row)
  const { id: keywordId, revisionId } = data
  await ctx.outbox.append('keywordList.saved', { keywordId, revisionId })
  return { data }
}

function ownerOf({ app }: Ctx, { id }: KeywordListRow): string {
  return defaultLists.has(id) ? 'default' : app.appId
}

function shown(ctx: Ctx, row: KeywordListRow): KeywordList {
  const { revision, description, judge: _, judgeSecret: __, ...rest } = row
  return {
    ...rest,
    ...shownJudge(row),
    ...(description !== null && { description }),
    ...(defaultLists.has(row.id) && { default: true }),
    revisionId: revisionIdOf(ownerOf(ctx, row), row.id, revision),
  }
}
