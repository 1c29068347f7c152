import { erasureQueue } from '../domain/apps/index.ts'
import { userErasureQueue } from '../domain/erasures/index.ts'
import { fileCheckQueue, fileRemovalQueue } from '../domain/files/index.ts'
import { submissionQueue } from '../domain/moderation/index.ts'
import { digestQueue, pushQueue } from '../domain/notifications/index.ts'
import { retentionQueue } from '../domain/retention/index.ts'
import { classificationQueue } from '../domain/rules/classifiers/index.ts'
import { dryRunQueue } from '../domain/rules/dry-runs/index.ts'
import { deliveryQueue } from '../domain/webhooks/index.ts'

/** All there are: their backlog is measured by every process, also while no worker runs. */
export const queues = [
  pushQueue,
  digestQueue,
  deliveryQueue,
  classificationQueue,
  submissionQueue,
  dryRunQueue,
  erasureQueue,
  userErasureQueue,
  retentionQueue,
  fileCheckQueue,
  fileRemovalQueue,
] as const
