import type { Condition, GivenCondition } from '@chorale/contract/rules'
import { conditionsOf, type Weighed } from '../conditions.ts'
import { defaultLists } from '../default-rules.ts'
import { type Layout, layOut } from '../engine/rule-set.ts'
import { type GivenTerms, listTermsOf, type WeighedTerms } from '../lists/list-terms.ts'
import { Objection } from '../objection.ts'

// What tenants hand us and what takes long: it is done in a thread of its own. Only types, plain data
// and these functions pass between the threads.

export interface Jobs {
  weighConditions: { readonly given: readonly GivenCondition[]; readonly done: Weighed }
  weighList: { readonly given: GivenTerms; readonly done: WeighedTerms | undefined }
  layOutRules: { readonly given: ToLayOut; readonly done: Layout }
}

export type JobName = keyof Jobs

interface ToLayOut {
  readonly rules: readonly { readonly conditions: readonly Condition[] }[]
  /** As JSON text: the terms of each list of the app by its id. */
  readonly lists: string
}

export type Request = {
  readonly [N in JobName]: { readonly name: N; readonly given: Jobs[N]['given'] }
}[JobName]

export type Reply =
  | { readonly done: unknown }
  | { readonly objection: { readonly field: string; readonly message: string } }
  | { readonly error: string }

const jobs: { readonly [N in JobName]: (given: Jobs[N]['given']) => Jobs[N]['done'] } = {
  weighConditions: conditionsOf,
  weighList: listTermsOf,
  layOutRules({ rules, lists }) {
    // Our own text: see `findInForce`.
    const own = JSON.parse(lists) as Readonly<Record<string, readonly string[]>>
    const terms = new Map(Object.entries(own))
    for (const [id, { searchTerms }] of defaultLists) terms.set(id, searchTerms)
    return layOut(rules, terms)
  },
}

export function carryOut({ name, given }: Request): Reply {
  try {
    // Typed by the name, which the compiler cannot follow.
    return { done: jobs[name](given as never) }
  } catch (error) {
    if (error instanceof Objection) {
      return { objection: { field: error.field, message: error.message } }
    }
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

/** What is handed over and not copied. */
export function buffersIn(value: unknown): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) return value.buffer instanceof ArrayBuffer ? [value.buffer] : []
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.values(value).flatMap(buffersIn)
}
