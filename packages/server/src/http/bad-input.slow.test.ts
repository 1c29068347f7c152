import { testBadInput } from '../../../testing/src/requests/bad-input.ts'

await testBadInput({ numRuns: 20, shareOfValues: 1 })
