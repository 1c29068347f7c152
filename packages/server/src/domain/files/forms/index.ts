export { openFormFiles } from './form-files.ts'
