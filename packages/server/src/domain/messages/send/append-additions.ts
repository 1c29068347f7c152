import type { AppendAddition } from '../../log/index.ts'
import { pendingJudgements } from '../../rules/classifiers/index.ts'
import { replyCounts } from '../threads.sql.ts'

/** What is written with the messages of a batch. */
export const appendAdditions: readonly AppendAddition[] = [replyCounts, pendingJudgements]
