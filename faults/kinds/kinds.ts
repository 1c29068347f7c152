import { databaseFaults } from './database.ts'
import type { Fault } from './fault.ts'
import { natsFaults } from './nats.ts'
import { serviceFaults } from './service.ts'

export const faults: readonly Fault[] = [...databaseFaults, ...natsFaults, ...serviceFaults]
