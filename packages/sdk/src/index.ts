export { ChoraleError, type RestOptions, restClient } from './rest.ts'
