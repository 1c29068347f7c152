import type { KeywordListForm } from '@chorale/contract/rules'
import { badRequest } from '../../../pipeline/failure.ts'
import type { ReadCtx } from '../../../pipeline/handler.ts'
import { placeIn, sealedColumns } from '../../../vault/sealed-columns.ts'
import type { SealedPlace } from '../../../vault/vault.ts'
import type { JudgeSettings, KeywordListRow } from '../lists/keyword-lists.sql.ts'
import { isJudge } from './judge-categories.ts'

/** What is wrong with an address to call, as far as can be said without calling it. */
export type ObjectionToUrl = (url: string) => string | undefined

type Kept = Pick<KeywordListRow, 'category' | 'judge' | 'judgeSecret'>

export function judgeSecretPlace(appId: string, listId: string): SealedPlace {
  return placeIn(sealedColumns.judgeSecret, appId, listId)
}

/** The settings that a form makes of those before it; nulls for a list that is no judge. */
export function judgeFrom(
  ctx: ReadCtx,
  listId: string,
  form: KeywordListForm,
  before: Kept | undefined,
  objectionToUrl: ObjectionToUrl,
): Pick<Kept, 'judge' | 'judgeSecret'> {
  const { category } = form
  if (!isJudge(category)) return { judge: null, judgeSecret: null }
  const kept = before?.category === category ? before : undefined
  const isOpenAi = category === 'openai'
  const field = isOpenAi ? 'baseUrl' : 'webhookURL'
  const url = form[field] ?? kept?.judge?.url
  if (url === undefined) throw badRequest(field, 'This field is required.')
  const objection = objectionToUrl(url)
  if (objection !== undefined) throw badRequest(field, objection)
  const secret = isOpenAi ? form.apiKey : form.password
  // Or whoever may change the address could have the secret sent to themselves.
  if (kept?.judgeSecret && secret === undefined && url !== kept.judge?.url) {
    throw badRequest(isOpenAi ? 'apiKey' : 'password', 'Give it again with another address.')
  }
  const { onError = kept?.judge?.onError ?? 'allow' } = form
  const contextWindow = Number(form.contextWindow ?? kept?.judge?.contextWindow ?? 0)
  const rest = isOpenAi ? speaking(form, kept?.judge) : signing(form, kept?.judge)
  const judgeSecret = secret
    ? ctx.vault.seal(secret, judgeSecretPlace(ctx.db.appId, listId))
    : (kept?.judgeSecret ?? null)
  if (rest.username && judgeSecret === null) throw badRequest('password', 'This field is required.')
  return { judge: { url, onError, contextWindow, ...rest }, judgeSecret }
}

type Rest = Pick<JudgeSettings, 'username' | 'model' | 'prompt'>

function speaking(form: KeywordListForm, before: JudgeSettings | null | undefined): Rest {
  const model = form.model ?? before?.model
  const prompt = form.prompt ?? before?.prompt
  if (model === undefined) throw badRequest('model', 'This field is required.')
  if (prompt === undefined) throw badRequest('prompt', 'This field is required.')
  return { model, prompt }
}

function signing(form: KeywordListForm, before: JudgeSettings | null | undefined): Rest {
  const username = form.username ?? before?.username
  return username ? { username } : {}
}

/** As answers show it: never the secret. */
export function shownJudge({ category, judge }: Kept) {
  if (!judge) return {}
  const { url, ...rest } = judge
  return { ...rest, ...(category === 'openai' ? { baseUrl: url } : { webhookURL: url }) }
}
