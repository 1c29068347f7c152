export * from './dry-runs.ts'
export * from './keyword-lists.ts'
export * from './of-app.ts'
export * from './rules.ts'
