export {
  type Edit,
  findRemarks,
  insertJudgement,
  type Judged,
  type JudgementJob,
  judgementQueue,
  pendingJudgements,
  recordOutcome,
  takeDecided,
} from './judgements.sql.ts'
export { type Consulted, consultJudges, type JudgeParts } from './judges.ts'
