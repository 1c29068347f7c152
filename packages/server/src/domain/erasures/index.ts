export { userErasureJobs } from './erasure-jobs.ts'
export { userErasureQueue } from './erasures.sql.ts'
export { erasureHandlers } from './erasures.ts'
