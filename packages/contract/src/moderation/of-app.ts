import { ofApp } from '../apps/index.ts'
import { keywordLists } from './keyword-lists.ts'
import { blockedMessages } from './queues.ts'
import { rules } from './rules.ts'

/** Rules, keyword lists and what they blocked, once more, for the operator. */
export const rulesOfApp = ofApp(rules)
export const keywordListsOfApp = ofApp(keywordLists)
export const blockedMessagesOfApp = ofApp(blockedMessages)
