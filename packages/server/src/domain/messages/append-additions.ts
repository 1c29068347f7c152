import type { AppendAddition } from '../conversations/index.ts'
import { pendingJudgements } from './judgements.sql.ts'
import { replyCounts } from './threads.sql.ts'

/** What is written with the messages of a batch. */
export const appendAdditions: readonly AppendAddition[] = [replyCounts, pendingJudgements]
