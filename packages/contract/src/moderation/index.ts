export * from './keyword-lists.ts'
export * from './of-app.ts'
export * from './reasons.ts'
export * from './rules.ts'
