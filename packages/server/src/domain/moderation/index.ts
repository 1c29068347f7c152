export { keywordListHandlers, keywordListOfAppHandlers } from './keyword-lists.ts'
export { reasonHandlers } from './reasons.ts'
export { ruleHandlers, ruleOfAppHandlers } from './rules.ts'
