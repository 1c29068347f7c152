import { ofApp } from '../apps/index.ts'
import { blockedMessages } from './queues.ts'

/** What rules have blocked, once more, for the operator. */
export const blockedMessagesOfApp = ofApp(blockedMessages)
