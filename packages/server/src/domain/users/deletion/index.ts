export { deleteForever, type UserDeletion } from './deletion.ts'
