import type { Operation } from '@chorale/contract/operation'
import type { ErrorObject } from 'ajv/dist/2020.js'
import { Failure } from './failure.ts'

/** What is no id at all is nobody's: `GET /users/%20` asks for a user who does not exist. */
export function unknownId(
  { errors }: Pick<Operation, 'errors'>,
  params: Readonly<Record<string, unknown>>,
  objections: readonly ErrorObject[],
): Failure | undefined {
  const wrong = new Set(objections.map(({ instancePath }) => instancePath.slice(1)))
  const id = (name: string) => String(params[name])
  if (wrong.has('guid') && errors.includes('ERR_GUID_NOT_FOUND')) {
    return new Failure('ERR_GUID_NOT_FOUND', { guid: id('guid') })
  }
  if (wrong.has('uid') && errors.includes('ERR_UID_NOT_FOUND')) {
    return new Failure('ERR_UID_NOT_FOUND', { uid: id('uid') })
  }
  if (wrong.has('role') && errors.includes('ERR_ROLE_NOT_FOUND')) {
    return new Failure('ERR_ROLE_NOT_FOUND', { role: id('role') })
  }
  return undefined
}
