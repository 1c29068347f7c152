export { writtenAt } from './default-rules.ts'
export { guardGroup, guardNewGroup, guardUser } from './guarded-facts.ts'
export {
  blocks,
  type Decided,
  disapproved,
  isPending,
  type ModerationResult,
  moderationResultOf,
  openRuleCheck,
  type RuleCheck,
} from './rule-check.ts'
export { ruleHandlers, ruleOfAppHandlers } from './rules.ts'
export { isMedia, subjectsOf } from './subjects.ts'
