import { ofApp } from '../apps/index.ts'
import { keywordLists } from './keyword-lists.ts'
import { rules } from './rules.ts'

/** Rules and keyword lists, once more, for the operator. */
export const rulesOfApp = ofApp(rules)
export const keywordListsOfApp = ofApp(keywordLists)
