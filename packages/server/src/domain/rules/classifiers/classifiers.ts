import type { AppDb } from '../../../database/app-db.ts'
import { type Egress, EgressError } from '../../../egress/egress.ts'
import type { Vault } from '../../../vault/vault.ts'
import type { Question, Verdict } from '../../log/entries/index.ts'
import { type ClassifierRow, findClassifiers } from '../lists/keyword-lists.sql.ts'
import { blocks } from '../rule-check.ts'
import { isMedia } from '../subjects.ts'
import { type AskedAbout, mannerOf, type Opinion, opinionFrom } from './classifier-calls.ts'
import { classifierSecretPlace } from './classifier-lists.ts'

export interface ClassifierParts {
  readonly egress: Egress
  readonly vault: Vault
  readonly timeoutMs: number
}

/** What classifiers are asked about, wherever it is kept. */
interface Matter {
  readonly sender: string
  /** The whole message, as JSON text. */
  readonly message: string
  /** Addresses of what it shows. */
  readonly pictures: readonly string[]
  /** What was said before it in its conversation, oldest first; so many at most. */
  readonly earlier: (
    most: number,
  ) => Promise<readonly { readonly uid: string; readonly text: string }[]>
}

/** A question, and what its classifier has said to it, or why it has said nothing. */
interface Heard {
  readonly question: Question
  readonly says: Opinion | { readonly error: string; readonly onError: 'allow' | 'block' }
}

const maxBytes = 65_536

/** What classifiers have made of something. */
export interface Consulted {
  /** None: it may be said. */
  readonly verdict?: Verdict | undefined
  /** Classifiers that have failed to the end. */
  readonly failures: readonly { readonly list: string; readonly error: string }[]
}

/** Asks about what is pending. Undefined: it is not decided, and classifiers may be asked again. */
export async function consultClassifiers(
  parts: ClassifierParts,
  db: AppDb,
  { pending = [], ...found }: Verdict,
  matter: Matter,
  mayAskAgain: boolean,
): Promise<Consulted | undefined> {
  const heard = await askClassifiers(parts, db, pending, matter)
  if (!isDecided(heard) && mayAskAgain) return undefined
  const failures = heard.flatMap(({ question: { list }, says }) =>
    'error' in says ? [{ list: list.id, error: says.error }] : [],
  )
  return { verdict: verdictFrom(found.rule && found, heard), failures }
}

/** All classifiers at once, each of them once, whoever asks. */
async function askClassifiers(
  parts: ClassifierParts,
  db: AppDb,
  questions: readonly Question[],
  matter: Matter,
): Promise<Heard[]> {
  const lists = new Map(questions.map(({ list }) => [list.id, list]))
  const classifiers = await findClassifiers(db, [...lists.values()])
  const most = Math.max(0, ...classifiers.map(windowOf))
  const earlier = most > 0 ? await matter.earlier(most) : []
  const remarks = earlier.map(({ uid, text }) => ({ [uid]: text }))
  const last = { [matter.sender]: JSON.parse(matter.message) }
  const asked = classifiers.map(async (one) => {
    const shown = remarks.slice(remarks.length - Math.min(remarks.length, windowOf(one)))
    const pictures = looksAtFiles(questions, one) ? matter.pictures : []
    const asked = { contextMessages: [...shown, last], pictures }
    return [one.id, await askOne(parts, db.appId, one, asked)] as const
  })
  const heard = new Map(await Promise.all(asked))
  return questions.map((question) => {
    const none = { error: 'The classifier is gone.', onError: 'allow' } as const
    return { question, says: heard.get(question.list.id) ?? none }
  })
}

function looksAtFiles(questions: readonly Question[], { id }: ClassifierRow): boolean {
  return questions.some(({ list, condition }) => list.id === id && isMedia(condition.operand))
}

function windowOf({ classifier }: ClassifierRow): number {
  return classifier?.contextWindow ?? 0
}

async function askOne(
  { egress, vault, timeoutMs }: ClassifierParts,
  appId: string,
  row: ClassifierRow,
  about: AskedAbout,
): Promise<Heard['says']> {
  const manner = mannerOf(row)
  const { classifierSecret } = row
  const failed = (error: string) => ({
    error,
    onError: row.classifier?.onError ?? ('allow' as const),
  })
  const target = `${appId}/classifiers/${row.id}`
  try {
    const secret = classifierSecret
      ? vault.open(classifierSecret, classifierSecretPlace(appId, row.id))
      : undefined
    const call = manner.request(row, secret, about)
    const answer = await egress.call({ ...call, method: 'POST', timeoutMs, maxBytes, target })
    if (answer.status < 200 || answer.status > 299) return failed(`It answered ${answer.status}.`)
    const opinion = answer.truncated ? undefined : opinionFrom(manner, answer.body)
    return opinion ?? failed('Its answer could not be read.')
  } catch (error) {
    // A secret that the vault cannot open, for one: the message must not wait for ever.
    return failed(error instanceof EgressError ? error.message : 'It could not be asked.')
  }
}

/** Whether it makes no difference what those say that have not answered. */
function isDecided(heard: readonly Heard[]): boolean {
  return (
    heard.every(({ says }) => !('error' in says)) ||
    heard.some(({ question, says }) => 'matches' in says && says.matches && blocks(question))
  )
}

/**
 * What became of it in the end: by one that blocks, or else by what had caught it before, or else by
 * the first. Undefined: it may be said. A classifier that failed may block it; nobody is punished for that.
 */
function verdictFrom(found: Verdict | undefined, heard: readonly Heard[]): Verdict | undefined {
  const answeredFirst = heard.toSorted(
    (a, b) => Number('error' in a.says) - Number('error' in b.says),
  )
  const caught = answeredFirst.flatMap(({ question, says }): Verdict[] => {
    const { rule, condition, actions } = question
    if ('matches' in says) {
      const { matches, reason } = says
      return matches ? [{ rule, condition, actions, ...(reason && { reason }) }] : []
    }
    const reason = `The classifier gave no answer. ${says.error}`
    return says.onError === 'block' ? [{ rule, condition, actions: ['blockMessage'], reason }] : []
  })
  return caught.find(blocks) ?? found ?? caught[0]
}
