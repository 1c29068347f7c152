export { nameImported } from '../message-files.sql.ts'
export { lockNamed, requireOwn } from './imported-files.ts'
