import { type ErrorCode, errors, type Operation, openapi, operations } from '@chorale/contract'

/** What a tool asks of the contract. */
export function describe(name: string, code: ErrorCode) {
  const operation: Operation | undefined = operations.get(name)
  return {
    route: operation && `${operation.method} ${operation.path}`,
    status: errors[code].status,
    isComplete: Object.keys(openapi('1').paths).length > 100,
  }
}
