export { retentionHandlers } from './retention.ts'
export { retentionJobs } from './retention-jobs.ts'
export { retentionQueue } from './runs.sql.ts'
