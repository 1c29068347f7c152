export { issuerHandlers } from './issuers.ts'
export { openKeySets } from './key-sets.ts'
export { openJwtSignIn } from './sign-in.ts'
