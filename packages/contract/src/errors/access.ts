import type { ErrorText } from './text.ts'

/** Credentials, API keys, auth tokens, roles and permissions. */
export const accessErrors = {
  AUTH_ERR_EMPTY_APPID: {
    status: 401,
    message: 'The app id is missing.',
    fix: 'Call <appId>.api-<region>.<host>, or send the header appId.',
  },
  AUTH_ERR_INVALID_APPID: {
    status: 401,
    message: 'The app {appId} does not exist in this region.',
    fix: 'Check the app id, and the region in the host name.',
  },
  AUTH_ERR_EMPTY_APIKEY: {
    status: 401,
    message: 'The API key is missing.',
    fix: 'Send the header apikey.',
  },
  AUTH_ERR_APIKEY_NOT_FOUND: {
    status: 401,
    message: 'The API key {apiKey} does not exist.',
    fix: 'Use a key of this app; `chorale key list` shows them.',
  },
  AUTH_ERR_EMPTY_AUTH_TOKEN: {
    status: 401,
    message: 'The auth token is missing.',
    fix: 'Send the header authToken.',
  },
  AUTH_ERR_AUTH_TOKEN_NOT_FOUND: {
    status: 401,
    message: 'The auth token does not exist, or its user is deactivated.',
    fix: 'Let the server of the app create a new one: POST /users/<uid>/auth_tokens.',
  },
  AUTH_ERR_JWT_REFUSED: {
    status: 401,
    message: 'The JWT is refused: {reason}.',
    fix: 'Show a fresh JWT of an issuer that the app trusts; GET /issuers/<id> shows what it must hold.',
  },
  AUTH_ERR_JWKS_UNAVAILABLE: {
    status: 503,
    message: 'The public keys of the issuer of this JWT cannot be fetched at the moment.',
    fix: 'Try again later. The log of the service says what is wrong with the address of the keys.',
  },
  AUTH_ERR_NO_ACCESS: {
    status: 403,
    message: 'These credentials do not allow this call.',
    fix: 'Use {needed}.',
  },
  AUTH_ERR_EMPTY_AUTH_HEADER: {
    status: 401,
    message: 'The management credentials are missing.',
    fix: 'Send the headers key and secret; `chorale management-key create` makes a pair.',
  },
  AUTH_ERR_MANAGEMENT_KEY_NOT_FOUND: {
    status: 401,
    message: 'The management credentials are wrong.',
    fix: 'Check the headers key and secret.',
  },
  AUTH_ERR_SESSION_NOT_FOUND: {
    status: 401,
    message: 'Nobody is signed in, or the session has ended.',
    fix: 'Sign in at /console.',
  },
  AUTH_ERR_FOREIGN_PAGE: {
    status: 403,
    message: 'The request does not come from a page of the console.',
    fix: 'Send the header X-Chorale-Console, from a page of the same origin.',
  },
  ERR_SIGN_IN_REFUSED: {
    status: 401,
    message: 'The e-mail address, the password or the code is wrong.',
    fix: 'Check all of them. A code is good once, for 30 seconds; a recovery code works instead.',
  },
  ERR_PROVIDER_FAILED: {
    status: 502,
    message: 'The OpenID provider did not let the person in.',
    fix: 'Begin again at /console. The log of the service says why, under the id of the request.',
  },
  ERR_NOT_INVITED: {
    status: 403,
    message: 'The OpenID provider knows the person, and this install does not.',
    fix: 'Let an owner add the e-mail address, which the provider must have verified.',
  },
  ERR_SECOND_FACTOR_NEEDED: {
    status: 401,
    message: 'A code of the second factor is needed.',
    fix: 'Send `code`: six digits of the authenticator, or a recovery code.',
  },
  ERR_SECOND_FACTOR_STATE: {
    status: 409,
    message: 'The second factor is {state}.',
    fix: 'POST /session/totp begins to set one up, once; `chorale collaborator reset` removes it.',
  },
  ERR_SESSION_NOT_FOUND: {
    status: 404,
    message: 'The session does not exist.',
    fix: 'GET /sessions lists those that do.',
  },
  ERR_ALREADY_A_COLLABORATOR: {
    status: 409,
    message: 'The address {email} belongs to a collaborator already.',
    fix: 'Create the app with POST /apps, and add the person with POST /apps/<appId>/collaborators.',
  },
  ERR_ALREADY_AN_OWNER: {
    status: 409,
    message: 'The person {email} has the role {role} in the install, which an app cannot change.',
    fix: 'Change it with `chorale collaborator create`.',
  },
  ERR_SELF_ACTION_DENIED: {
    status: 403,
    message: 'Nobody can change or remove their own role.',
    fix: 'Let another owner do it.',
  },
  ERR_NOT_A_COLLABORATOR: {
    status: 404,
    message: 'The person {email} is no collaborator of this app.',
    fix: 'GET /apps/<appId>/collaborators lists those who are.',
  },
  ERR_APIKEY_NOT_FOUND: {
    status: 404,
    message: 'The API key {apiKey} does not exist.',
    fix: 'GET /apikeys lists the keys of this app.',
  },
  ERR_APIKEY_NO_SELF_ACTION: {
    status: 403,
    message: 'An API key may not change or delete itself.',
    fix: 'Call with another key of the scope fullAccess.',
  },
  ERR_AUTH_TOKEN_NOT_FOUND: {
    status: 404,
    message: 'The auth token does not exist.',
    fix: 'It may have been deleted; GET /users/<uid>/auth_tokens lists those of a user.',
  },
  ERR_AUTHTOKEN_UNAVAILABLE: {
    status: 409,
    message: 'The auth token is already bound to another device.',
    fix: 'Create a token per device, with force: true.',
  },
  ERR_AUTHTOKEN_NOT_ACCESSIBLE: {
    status: 403,
    message: 'The auth token belongs to another user.',
    fix: 'Name the user to whom the token was given, in the path or in onBehalfOf.',
  },
  ERR_ISSUER_NOT_FOUND: {
    status: 404,
    message: 'The issuer {id} does not exist.',
    fix: 'GET /issuers lists those that the app trusts.',
  },
  ERR_ISSUER_ALREADY_EXISTS: {
    status: 409,
    message: 'The app trusts an issuer with the {field} {value} already.',
    fix: 'Change that one with PUT, or name another.',
  },
  ERR_PLAN_QUOTA_RESTRICTION: {
    status: 403,
    message: 'The limit of {limit} {what} is reached.',
    fix: 'Delete some, or ask the operator whether the app may have more.',
  },
  ERR_ROLE_NOT_FOUND: {
    status: 404,
    message: 'The role {role} does not exist.',
    fix: 'GET /roles lists the roles; POST /roles creates one.',
  },
  ERR_ROLE_DELETE_DENIED: {
    status: 403,
    message: 'The role {role} cannot be deleted.',
    fix: 'The role default always stays. Of any other role, give its users another one first.',
  },
  ERR_PERMISSION_DENIED: {
    status: 403,
    message: 'This user is not allowed to do that.',
    fix: 'Denied to the acting user: {what}. The permissions and features of their role decide.',
  },
} as const satisfies Record<string, ErrorText>
