export { dryRunQueue } from './dry-run-jobs.sql.ts'
export { dryRunJobs } from './dry-run-jobs.ts'
export { dryRunHandlers } from './dry-runs.ts'
