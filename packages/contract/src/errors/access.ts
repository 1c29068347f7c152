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
