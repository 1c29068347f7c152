export { changeImported } from './changes.ts'
export { insertReactions } from './reactions.sql.ts'
export { countsOf } from './reactions.ts'
export { insertReplies } from './replies.sql.ts'
