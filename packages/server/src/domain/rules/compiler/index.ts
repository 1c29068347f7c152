export { type Compiler, openCompiler } from './compiler.ts'
export { openRuleSets } from './rule-sets.ts'
