export { writtenAt } from './default-rules.ts'
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
export { ruleHandlers, ruleOfAppHandlers } from './rules.ts'
