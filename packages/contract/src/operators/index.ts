export { deadLetters } from './dead-letters.ts'
export { type InstallStatus, installStatus } from './install-status.ts'
export { usage } from './usage.ts'
