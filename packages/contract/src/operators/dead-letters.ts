import { Type } from 'typebox'
import { Data, Timestamp } from '../envelope.ts'
import { operations, withDefault } from '../operation.ts'

const LetterNumber = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

const DeadLetter = Type.Object({
  number: LetterNumber,
  at: Timestamp,
  appId: Type.String(),
  listener: Type.String(),
  event: Type.String({ description: 'Its name.' }),
  eventId: Type.String(),
  error: Type.String(),
})

export const deadLetters = operations({
  listDeadLetters: {
    method: 'GET',
    path: '/dead-letters',
    summary: 'List events that a listener gave up on, oldest first',
    description:
      'Lists the events that a listener has tried to handle too often in vain, with the error ' +
      'of the last attempt, oldest first.',
    tag: 'Operations',
    effect: 'read',
    requires: 'management',
    query: Type.Object({
      limit: withDefault(Type.Integer({ minimum: 1, maximum: 1000 }), 100),
      after: Type.Optional({
        ...LetterNumber,
        description: 'The number of the last one of the page before.',
      }),
    }),
    response: Data(Type.Array(DeadLetter)),
    errors: [],
  },
  replayDeadLetters: {
    method: 'POST',
    path: '/dead-letters/replay',
    summary: 'Hand dead letters to their listeners again',
    description:
      'Hands the named dead letters to their listeners once more, and takes them off the list. ' +
      'A number that is not there, because somebody else was faster, is not counted.',
    tag: 'Operations',
    effect: 'write',
    requires: 'management',
    audit: true,
    body: Type.Object({ numbers: Type.Array(LetterNumber, { minItems: 1, maxItems: 1000 }) }),
    response: Data(Type.Object({ replayed: Type.Integer() })),
    errors: [],
  },
})
