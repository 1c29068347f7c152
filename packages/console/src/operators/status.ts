import type { OperationOutputs } from '@chorale/sdk'

export type Status = OperationOutputs['getInstallStatus']['data']
