import type { KeywordListForm } from '@chorale/contract/rules'
import { badRequest } from '../../../pipeline/failure.ts'
import type { ReadCtx } from '../../../pipeline/handler.ts'
import { placeIn, sealedColumns } from '../../../vault/sealed-columns.ts'
import type { SealedPlace } from '../../../vault/vault.ts'
import type { ClassifierSettings, KeywordListRow } from '../lists/keyword-lists.sql.ts'
import { isClassifier } from './classifier-categories.ts'

/** What is wrong with an address to call, as far as can be said without calling it. */
export type ObjectionToUrl = (url: string) => string | undefined

type Kept = Pick<KeywordListRow, 'category' | 'classifier' | 'classifierSecret'>

export function classifierSecretPlace(appId: string, listId: string): SealedPlace {
  return placeIn(sealedColumns.classifierSecret, appId, listId)
}

/** The settings that a form makes of those before it; nulls for a list that is no classifier. */
export function classifierFrom(
  ctx: ReadCtx,
  listId: string,
  form: KeywordListForm,
  before: Kept | undefined,
  objectionToUrl: ObjectionToUrl,
): Pick<Kept, 'classifier' | 'classifierSecret'> {
  const { category } = form
  if (!isClassifier(category)) return { classifier: null, classifierSecret: null }
  const kept = before?.category === category ? before : undefined
  const isOpenAi = category === 'openai'
  const field = isOpenAi ? 'baseUrl' : 'webhookURL'
  const url = form[field] ?? kept?.classifier?.url
  if (url === undefined) throw badRequest(field, 'This field is required.')
  const objection = objectionToUrl(url)
  if (objection !== undefined) throw badRequest(field, objection)
  const secret = isOpenAi ? form.apiKey : form.password
  // Or whoever may change the address could have the secret sent to themselves.
  if (kept?.classifierSecret && secret === undefined && url !== kept.classifier?.url) {
    throw badRequest(
      isOpenAi ? 'apiKey' : 'password',
      'Send this secret again when the address changes.',
    )
  }
  const { onError = kept?.classifier?.onError ?? 'allow' } = form
  const contextWindow = Number(form.contextWindow ?? kept?.classifier?.contextWindow ?? 0)
  const rest = isOpenAi ? speaking(form, kept?.classifier) : signing(form, kept?.classifier)
  const classifierSecret = secret
    ? ctx.vault.seal(secret, classifierSecretPlace(ctx.db.appId, listId))
    : (kept?.classifierSecret ?? null)
  if (rest.username && classifierSecret === null)
    throw badRequest('password', 'This field is required.')
  return { classifier: { url, onError, contextWindow, ...rest }, classifierSecret }
}

type Rest = Pick<ClassifierSettings, 'username' | 'model' | 'prompt'>

function speaking(form: KeywordListForm, before: ClassifierSettings | null | undefined): Rest {
  const model = form.model ?? before?.model
  const prompt = form.prompt ?? before?.prompt
  if (model === undefined) throw badRequest('model', 'This field is required.')
  if (prompt === undefined) throw badRequest('prompt', 'This field is required.')
  return { model, prompt }
}

function signing(form: KeywordListForm, before: ClassifierSettings | null | undefined): Rest {
  const username = form.username ?? before?.username
  return username ? { username } : {}
}

/** As answers show it: never the secret. */
export function shownClassifier({ category, classifier }: Kept) {
  if (!classifier) return {}
  const { url, ...rest } = classifier
  return { ...rest, ...(category === 'openai' ? { baseUrl: url } : { webhookURL: url }) }
}
