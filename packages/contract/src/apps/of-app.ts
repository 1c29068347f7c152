import { type TObject, type TProperties, Type } from 'typebox'
import type { ErrorCode } from '../errors.ts'
import type { Operations } from '../operation.ts'
import { AppId } from './apps.ts'

type ParamsOf<O> = O extends { params: TObject<infer P extends TProperties> } ? P : unknown

/** `createRule` becomes `createRuleOfApp`. */
export type OfApp<T extends Operations> = {
  readonly [N in keyof T & string as `${N}OfApp`]: Omit<T[N], 'params' | 'requires' | 'errors'> & {
    readonly params: TObject<{ appId: typeof AppId } & ParamsOf<T[N]>>
    readonly requires: 'management'
    readonly errors: readonly ErrorCode[]
  }
}

/** The same operations for the operator, who names the app in the path of the management address. */
export function ofApp<const T extends Operations>(table: T): OfApp<T> {
  const there = Object.entries(table).map(([name, operation]) => [
    `${name}OfApp`,
    {
      ...operation,
      path: `/apps/:appId${operation.path}`,
      requires: 'management',
      params: Type.Object({ appId: AppId, ...operation.params?.properties }),
      errors: [...operation.errors, 'ERR_APP_NOT_FOUND'],
    },
  ])
  // Built from the table that types it.
  return Object.fromEntries(there) as OfApp<T>
}
