import type { DeviceOperation, OperationInputs, OperationOutputs } from './contract.generated.ts'

type Optional<T> = Record<never, never> extends T ? [input?: T] : [input: T]

/** One function per operation. */
export type ServerClient = {
  readonly [N in keyof OperationInputs]: (
    ...input: Optional<OperationInputs[N]>
  ) => Promise<OperationOutputs[N]>
}

/** One function per operation that a device may call. Who acts is known, so nobody is named. */
export type DeviceClient = {
  readonly [N in DeviceOperation]: (
    ...input: Optional<Omit<OperationInputs[N], 'onBehalfOf'>>
  ) => Promise<OperationOutputs[N]>
}
