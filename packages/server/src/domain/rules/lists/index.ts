export { keywordListHandlers, keywordListOfAppHandlers } from './keyword-lists.ts'
export { pageOf } from './lists.ts'
