import type { Action, Condition, Filter, Operand } from '@chorale/contract/rules'
import { fold } from './fold.ts'
import type { Pattern, PatternEngine } from './patterns.ts'
import { programOf } from './program.ts'
import { type Required, requiredBy } from './required.ts'
import { foldedTerm, layOutWords, type Term, WordFinder, type WordTables } from './words.ts'

/** As much of a rule as is needed to find and to report it. */
export interface RuleInForce {
  readonly id: string
  readonly name: string
  readonly revisionId: string
  readonly filters: readonly Filter[]
  readonly conditions: readonly Condition[]
  readonly actions: readonly Action[]
}

/** What a message says, by what conditions call it. */
export type Subjects = Partial<Readonly<Record<Operand, string>>>

/** Where in a subject, in code units of the original. */
export interface Span {
  readonly operand: Operand
  readonly start: number
  readonly end: number
}

export interface Finding {
  readonly rule: RuleInForce
  readonly conditions: readonly { readonly condition: Condition; readonly spans: readonly Span[] }[]
}

/** Terms of keyword lists, by the id of the list. */
export type Lists = ReadonlyMap<string, readonly string[]>

interface Check {
  readonly rule: RuleInForce
  readonly condition: Condition
}

/** A condition that a classifier must answer, and in which revision of its list it is described. */
export interface Asked extends Check {
  readonly list: { readonly id: string; readonly revision: number }
}

/** A pattern, as it can be handed from thread to thread: its source is compiled where it is used. */
interface PatternLayout {
  readonly operand: Operand
  readonly source: string
  readonly isWhole: boolean
  readonly size: number
  readonly required: Required
  /** The number of the check. */
  readonly of: number
}

interface PatternCheck extends PatternLayout {
  readonly pattern: Pattern
}

/** What takes long to make of rules. It can be handed from thread to thread. */
export interface Layout {
  readonly patterns: readonly PatternLayout[]
  readonly words: WordTables
}

/** Of one message. */
interface Found {
  /** By the number of the check, then by where they are. */
  readonly spans: Map<number, Map<number, Span>>
  count: number
}

/** Enough to show somebody why a message was caught: of one condition, and of all that have one. */
const maxSpans = 100
const maxSpansInAll = 1000
/** Steps. In a text that is too long for them it is said that a pattern matches, but not where. */
const maxWorkForPlaces = 16_000

/** With the states that texts make of it. */
const bytesOfPattern = 200_000
const bytesOfRules = 10_000

type Conditioned = Pick<RuleInForce, 'conditions'>

/** The same of the same rules, in whichever thread. */
export function layOut(rules: readonly Conditioned[], lists: Lists): Layout {
  const checks = checksOf(rules)
  const values = checks.flatMap(({ condition }, of) =>
    valuesOf(condition, lists).map((value) => ({ condition, value, of })),
  )
  const patterns = values
    .filter(({ condition }) => condition.category === 'pattern')
    .map(({ condition, value, of }) => layOutPattern(condition, value, of))
  const words = layOutWords([
    ...values
      .filter(({ condition }) => condition.category === 'word')
      .map(({ condition, value, of }) => wordTerm(condition, value, of)),
    ...patterns.flatMap(({ required }, place) =>
      required.kind === 'literal' ? [needle(required.text, checks.length + place)] : [],
    ),
  ])
  return { patterns, words }
}

/** At once, in this thread. */
export function ruleSetOf(
  rules: readonly RuleInForce[],
  lists: Lists,
  engine: PatternEngine,
): RuleSet {
  const layout = layOut(rules, lists)
  const patterns = layout.patterns.map(({ source }) => engine.compile(source))
  return new RuleSet(rules, layout, patterns)
}

/** All rules in force at one moment, compiled. Never changes: a message takes one and keeps it. */
export class RuleSet {
  readonly #checks: readonly Check[]
  readonly #asked: readonly Asked[]
  readonly #patterns: readonly PatternCheck[]
  /** Patterns that no word announces. */
  readonly #unnamed: readonly PatternCheck[]
  readonly #words: WordFinder
  /** About how much memory it takes. */
  readonly bytes: number

  constructor(
    rules: readonly RuleInForce[],
    layout: Layout,
    /** Those of the layout, in its order. */
    patterns: readonly Pattern[],
    /** The revisions of lists that are classifiers; without them, classifiers are not asked. */
    classifiers: ReadonlyMap<string, number> = new Map(),
  ) {
    this.#checks = checksOf(rules)
    this.#asked = allChecks(rules)
      .filter(({ condition }) => isAsked(condition))
      .flatMap((check) =>
        check.condition.value.flatMap((id) => {
          const revision = classifiers.get(id)
          return revision === undefined ? [] : [{ ...check, list: { id, revision } }]
        }),
      )
    this.#patterns = layout.patterns.flatMap((one, place) => {
      const pattern = patterns[place]
      return pattern ? [{ ...one, pattern }] : []
    })
    this.#unnamed = this.#patterns.filter(({ required }) => required.kind !== 'literal')
    this.#words = new WordFinder(layout.words)
    this.bytes = this.#words.bytes + this.#patterns.length * bytesOfPattern + bytesOfRules
  }

  /** Every rule that matches, in the order of the rules. */
  examine(subjects: Subjects): Finding[] {
    const found: Found = { spans: new Map(), count: 0 }
    // A record of ours: its keys are operands.
    for (const [operand, text] of Object.entries(subjects) as [Operand, string][]) {
      this.#examineOne(operand, text, found)
    }
    return found.count === 0 ? [] : this.#findings(found)
  }

  /** What only classifiers can answer of this. */
  askedOf(subjects: Subjects): readonly Asked[] {
    if (this.#asked.length === 0) return this.#asked
    return this.#asked.filter(({ condition }) => subjects[condition.operand] !== undefined)
  }

  #examineOne(operand: Operand, text: string, found: Found): void {
    const needed = new Set<PatternCheck>()
    this.#words.find(fold(text), (target, start, end) => {
      const check = this.#checks[target]
      const pattern = this.#patterns[target - this.#checks.length]
      if (pattern) needed.add(pattern)
      if (check?.condition.operand !== operand) return false
      return note(found, target, { operand, start, end })
    })
    const digits = this.#unnamed.length > 0 ? digitsIn(text) : 0
    for (const pattern of this.#unnamed) {
      const { required } = pattern
      if (required.kind !== 'digits' || digits >= required.count) needed.add(pattern)
    }
    for (const pattern of needed) {
      if (pattern.operand !== operand) continue
      for (const [start, end] of placesIn(pattern, text)) {
        note(found, pattern.of, { operand, start, end })
      }
    }
  }

  #findings({ spans }: Found): Finding[] {
    const matched = [...spans].sort(([one], [other]) => one - other)
    const byRule = Map.groupBy(matched, ([of]) => this.#checks[of]?.rule)
    return [...byRule].flatMap(([rule, entries]) =>
      rule ? [{ rule, conditions: entries.flatMap((entry) => this.#shown(entry)) }] : [],
    )
  }

  #shown([of, spans]: [number, ReadonlyMap<number, Span>]) {
    const condition = this.#checks[of]?.condition
    const inOrder = [...spans.values()].sort(
      (one, other) => one.start - other.start || one.end - other.end,
    )
    return condition ? [{ condition, spans: inOrder }] : []
  }
}

function allChecks<T extends Conditioned>(rules: readonly T[]) {
  return rules.flatMap((rule) => rule.conditions.map((condition) => ({ rule, condition })))
}

/** What pictures show is for classifiers outside. */
function checksOf<T extends Conditioned>(rules: readonly T[]) {
  return allChecks(rules).filter(
    ({ condition }) => !condition.isMediaPresent && !isAsked(condition),
  )
}

function isAsked({ category }: Condition): boolean {
  return category === 'customApi' || category === 'openai'
}

function valuesOf({ isKeywordsReferencePresent, value }: Condition, lists: Lists) {
  return isKeywordsReferencePresent ? value.flatMap((id) => lists.get(id) ?? []) : value
}

function wordTerm({ operator, disguises = false }: Condition, text: string, target: number): Term {
  return { text, how: operator === 'equals' ? 'whole' : 'word', disguises, target }
}

function needle(text: string, target: number): Term {
  return { text, how: 'part', disguises: false, target }
}

function layOutPattern(
  { operand, operator }: Condition,
  source: string,
  of: number,
): PatternLayout {
  const isWhole = operator === 'equals'
  const program = programOf(source)
  const required = requiredBy(program)
  const isNeeded = required.kind !== 'literal' || foldedTerm(required.text) !== ''
  return {
    operand,
    source: isWhole ? `^(?:${source})$` : source,
    isWhole,
    size: program.inst.length,
    required: isNeeded ? required : { kind: 'nothing' },
    of,
  }
}

function digitsIn(text: string): number {
  let count = 0
  for (let place = 0; place < text.length; place++) {
    const unit = text.charCodeAt(place)
    if (unit >= 48 && unit <= 57) count++
  }
  return count
}

function placesIn({ pattern, isWhole, size }: PatternCheck, text: string) {
  const subject = isWhole ? text.trim() : text
  if (!pattern.test(subject)) return []
  if (isWhole || size * text.length > maxWorkForPlaces) return [[0, text.length] as const]
  return pattern.places(text)
}

/** Two words of a condition, or two ways to read one, may be found at the same place. False: enough. */
function note(found: Found, of: number, span: Span): boolean {
  // All of a condition are in the same text.
  const place = span.start * 2 ** 26 + span.end
  const spans = found.spans.get(of)
  if (!spans) {
    found.spans.set(of, new Map([[place, span]]))
    found.count++
    return true
  }
  if (spans.size >= maxSpans || found.count >= maxSpansInAll) return false
  if (!spans.has(place)) {
    spans.set(place, span)
    found.count++
  }
  return true
}
