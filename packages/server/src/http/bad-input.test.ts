import { testBadInput } from '../../../testing/src/requests/bad-input.ts'

// A part of the requests of bad-input.slow.test.ts.
await testBadInput({ numRuns: 4, shareOfValues: 0.08 })
