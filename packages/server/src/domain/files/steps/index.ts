export type { FileStep } from '../checks.ts'
export { fileSteps } from './steps.ts'
