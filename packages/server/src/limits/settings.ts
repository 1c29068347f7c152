import { Type } from 'typebox'

/** What the operator may say about who may do how much at once. */
export const limitSettings = {
  TRANSIENT_BYTES_PER_USER: Type.Integer({
    default: 1_048_576,
    minimum: 1,
    description:
      'Bytes a second that a gateway writes for typing and transient frames of one user, counted ' +
      'once for each listener. What is more is not passed on.',
  }),
  TRANSIENT_BYTES_PER_APP: Type.Integer({
    default: 8_388_608,
    minimum: 1,
    description: 'The same for all users of an app together.',
  }),
  CALLS_PER_USER: Type.Integer({
    default: 4,
    minimum: 1,
    description:
      'Calls of the devices of one user that a process handles at once; 32 more wait, and others ' +
      'are refused with 429.',
  }),
  PASSWORD_CONCURRENCY: Type.Integer({
    default: 2,
    minimum: 1,
    maximum: 16,
    description:
      'Passwords of groups that a process hashes at once, half of them for one app: each takes ' +
      '19 MiB and some 50 ms of a core.',
  }),
}
