import type { Operation } from '@chorale/contract/operation'
import { Failure } from '../../../server/src/pipeline/failure.ts'
import { type Validation, validationOf } from '../../../server/src/pipeline/validation.ts'
import type { FullCall } from './full-calls.ts'

const validations = new Map<Operation, Validation>()

/** Compiled once: that takes longer than to read. */
function validation(operation: Operation): Validation {
  const known = validations.get(operation) ?? validationOf(operation)
  validations.set(operation, known)
  return known
}

interface Reading {
  readonly input?: Readonly<Record<string, unknown>>
  readonly refused?: Failure
}

/** What the handler of the operation would be given, or why it is not called. */
export function read(operation: Operation, call: FullCall, lenient: boolean): Reading {
  const { params, query, form } = structuredClone(call)
  const body = () => structuredClone(call.body)
  try {
    return { input: validation(operation).input({ params, query, form, body, lenient }) }
  } catch (error) {
    if (error instanceof Failure) return { refused: error }
    throw error
  }
}
