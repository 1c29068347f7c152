import { openTestDatabase, recordTestJob, runTestJobs, testQueue } from './test-queue.ts'

/** Runs test jobs until it is killed: says the id of each that it begins, and records it after a moment. */
const [url = '', leaseMs = '1000'] = process.argv.slice(2)
const database = openTestDatabase(url)
runTestJobs(
  {
    queue: testQueue,
    limits: { leaseMs: Number(leaseMs) },
    async run(job) {
      process.send?.(job.id)
      await new Promise((resolve) => setTimeout(resolve, 20))
      return (await recordTestJob(database, job, 'done')) ? 'done' : 'lost'
    },
  },
  { database },
)
