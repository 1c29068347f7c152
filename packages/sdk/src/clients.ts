import type { DeviceOperation, OperationInputs, OperationOutputs } from './contract.generated.ts'

/** Limits of one call. */
export interface CallOptions {
  /** For the whole call, each attempt anew. */
  readonly timeoutMs?: number
  /** Ends the call early. */
  readonly signal?: AbortSignal
  /** How often it is repeated after a failure that may pass; calls that change something are not. */
  readonly retries?: number
}

type Optional<T> =
  Record<never, never> extends T
    ? [input?: T, options?: CallOptions]
    : [input: T, options?: CallOptions]

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
