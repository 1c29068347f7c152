import type { OperationOutputs } from '@chorale/sdk'

export type SupportedUser = OperationOutputs['getSupportedUser']['data']
