import type { ErrorText } from './text.ts'

/** What is not about one thing of the app. */
export const generalErrors = {
  ERR_APP_NOT_FOUND: {
    status: 404,
    message: 'The app {appId} does not exist.',
    fix: 'GET /apps lists the apps that this management key may see.',
  },
  ERR_INVALID_API_VERSION: {
    status: 404,
    message: 'The API version {version} does not exist.',
    fix: 'Use /v3.',
  },
  ERR_API_NOT_FOUND: {
    status: 404,
    message: 'There is no {method} {path}.',
    fix: 'Check method and path; /docs describes every call.',
  },
  ERR_BAD_REQUEST: {
    status: 400,
    message: 'The request is not valid. {field}: {objection}',
    fix: 'Correct what `details` names: it has a list of objections for each field.',
  },
  ERR_REQUEST_TIMEOUT: {
    status: 408,
    message: 'The request did not arrive in time.',
    fix: 'Send the headers within 10 s and the whole request within 30 s.',
  },
  ERR_HEADERS_TOO_LARGE: {
    status: 431,
    message: 'The headers of the request are too large.',
    fix: 'Send at most 16 KB of headers; a long filter belongs in the body where the call has one.',
  },
  ERR_TOO_MANY_REQUESTS: {
    status: 429,
    message: 'Too many requests: {what}.',
    fix: 'Wait for {seconds} s (header Retry-After).',
  },
  ERR_EXCEPTION: {
    status: 500,
    message: 'Something went wrong on our side.',
    fix: 'Give the operator the request id {requestId}; the log holds the cause.',
  },
  ERR_MISSION_FAILED: {
    status: 503,
    message: 'The service cannot answer right now.',
    fix: 'Try again in a moment (header Retry-After).',
  },
} as const satisfies Record<string, ErrorText>
