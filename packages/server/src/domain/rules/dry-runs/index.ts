export { dryRunJobs } from './dry-run-jobs.ts'
export { dryRunHandlers } from './dry-runs.ts'
