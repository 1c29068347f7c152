export { collaboratorHandlers, tenantHandlers } from './collaborators.ts'
export { openOpenId, readProviderRoles } from './openid.ts'
export {
  deletePerson,
  findPerson,
  insertPerson,
  listPeople,
  setRoleInApp,
  setSecondFactor,
  updatePerson,
} from './people.sql.ts'
export { secondFactorHandlers } from './second-factor.ts'
export { deleteSessions } from './sessions.sql.ts'
export { checkSession, type SessionRules, sessionHandlers } from './sessions.ts'
export {
  hashPassword,
  passwordHandlers,
  type SignInParts,
  signInByPassword,
} from './sign-in.ts'
