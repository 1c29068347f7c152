import type { Filter } from '@chorale/contract/moderation'
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
