import type { Filter } from '@chorale/contract/rules'
import { badRequest } from '../../pipeline/failure.ts'

const operands: Readonly<Record<Filter['entity'], readonly string[]>> = {
  user: ['uid', 'name', 'role', 'tags', 'createdAt'],
  group: ['guid', 'name', 'type', 'tags', 'createdAt'],
}

export function checkFilters(filters: readonly Filter[]): void {
  for (const [place, { entity, operand, operator, value }] of filters.entries()) {
    if (!operands[entity].includes(operand)) {
      const wanted = operands[entity].join(', ')
      throw badRequest(`filters.${place}.operand`, `A ${entity} has one of: ${wanted}.`)
    }
    const isNumber = operand === 'createdAt' && !/\bin$/i.test(operator)
    if (isNumber && !/^\d{1,15}$/.test(value)) {
      throw badRequest(`filters.${place}.value`, 'A time is in unix seconds.')
    }
  }
}

/** Who sends or receives, as far as filters ask. */
export interface Party {
  readonly entity: Filter['entity']
  /** The uid or guid. */
  readonly id: string
  readonly name: string
  /** The role of a user, the type of a group. */
  readonly kind: string
  readonly tags: readonly string[]
  readonly createdAt: number
}

export interface Parties {
  readonly sender: Party
  readonly receiver: Party
}

/** Whether a rule with these filters looks at what passes between the two. */
export function passes(filters: readonly Filter[], parties: Parties): boolean {
  return filters.every((filter) => {
    const party = filter.entity === 'group' ? parties.receiver : parties[filter.type]
    return party.entity === filter.entity && holds(filter, factsOf(party, filter.operand))
  })
}

function factsOf(party: Party, operand: Filter['operand']): readonly string[] {
  const { id, name, kind, tags, createdAt } = party
  const facts = { uid: id, guid: id, name, role: kind, type: kind, createdAt: String(createdAt) }
  return operand === 'tags' ? tags : [facts[operand]]
}

export function holds({ operator, value }: Filter, facts: readonly string[]): boolean {
  const wanted = value.toLowerCase().trim()
  const items = wanted.split(',').map((item) => item.trim())
  const some = (test: (fact: string) => boolean) => facts.some((fact) => test(fact.toLowerCase()))
  switch (operator) {
    case 'equals':
      return some((fact) => fact === wanted)
    case 'not equals':
    case 'notEquals':
      return !some((fact) => fact === wanted)
    case 'in':
      return some((fact) => items.includes(fact))
    case 'not in':
    case 'notIn':
      return !some((fact) => items.includes(fact))
    case 'startsWith':
      return some((fact) => fact.startsWith(wanted))
    case 'endsWith':
      return some((fact) => fact.endsWith(wanted))
    case 'lessThan':
      return some((fact) => Number(fact) < Number(wanted))
    case 'greaterThan':
      return some((fact) => Number(fact) > Number(wanted))
  }
}
