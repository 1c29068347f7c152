export { openCases, punishSenders } from './cases.on.ts'
export {
  closeCase,
  deleteCases,
  findCaseStatus,
  insertCase,
} from './cases.sql.ts'
export { openCase, reportMessage } from './cases.ts'
export { type Compiler, openCompiler } from './compiler.ts'
export { defaultReasons } from './default-reasons.ts'
export { dryRunJobs } from './dry-run-jobs.ts'
export { dryRunHandlers } from './dry-runs.ts'
export { nativeEngine, portableEngine } from './engine/patterns.ts'
export { guardGroup, guardNewGroup, guardUser } from './guarded-facts.ts'
export {
  blocks,
  type Decided,
  disapproved,
  isPending,
  type Judge,
  type Judgement,
  judgementOf,
  openJudge,
} from './judge.ts'
export { type Consulted, consultJudges, type JudgeParts } from './judges.ts'
export { keywordListHandlers, keywordListOfAppHandlers } from './keyword-lists.ts'
export { reasonHandlers } from './reasons.ts'
export { openRuleSets } from './rule-sets.ts'
export { ruleHandlers, ruleOfAppHandlers } from './rules.ts'
