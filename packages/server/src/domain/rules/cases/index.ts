export { openCases, punishSenders } from './cases.on.ts'
export {
  closeCase,
  deleteCases,
  type Flag,
  findCaseStatus,
  insertCase,
  insertReport,
} from './cases.sql.ts'
export { openCase } from './cases.ts'
export { claimCases, countOpenCases, releaseCases } from './claims.sql.ts'
