import { type Static, Type } from 'typebox'
import { Data, Identifier, OneOf, Outcome, Timestamp } from '../envelope.ts'
import { operations, withDefault } from '../operation.ts'

export const UploadId = Type.String({
  pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
  'x-objection': 'Use the uploadId that POST /uploads has answered',
})

const Names = Type.Record(Type.String(), Type.String())

/** How bytes are brought. */
const instruction = {
  method: OneOf('POST', 'PUT'),
  url: Type.String(),
  fields: Type.Optional({
    ...Names,
    description: 'Of a `POST`: send them as a form, in any order, and the bytes last, as `file`.',
  }),
  headers: Type.Optional({
    ...Names,
    description: 'Of a `PUT`: send them with the bytes as body.',
  }),
}

const Parts = Type.Object({
  size: Type.Integer({ description: 'Of each part in bytes; the last one has what is left.' }),
  count: Type.Integer(),
  received: Type.Array(Type.Integer(), { description: 'Numbers of the parts that are there.' }),
  put: Type.Array(Type.Object({ number: Type.Integer(), ...instruction }), {
    description: 'How the next missing parts are brought, up to 100. Ask again for more.',
  }),
})

export const Upload = Type.Object({
  uploadId: Type.String(),
  name: Type.String(),
  mimeType: Type.String(),
  size: Type.Integer({ description: 'In bytes.' }),
  state: OneOf('waiting', 'checking', 'ready', 'refused'),
  why: Type.Optional(Type.String({ description: 'Why it was refused.' })),
  createdAt: Timestamp,
  expiresAt: Type.Optional({
    ...Timestamp,
    description: 'While it waits for its bytes: it is removed then.',
  }),
  put: Type.Optional(
    Type.Object(instruction, { description: 'How the bytes are brought, where they come whole.' }),
  ),
  parts: Type.Optional(Parts),
})
export type Upload = Static<typeof Upload>

const shared = {
  tag: 'Files',
  requires: 'fullAccess',
  onBehalfOf: 'optional',
  device: 'acting',
  feature: 'createMessage',
} as const

const one = Type.Object({ uploadId: UploadId })

export const uploads = operations({
  createUpload: {
    ...shared,
    method: 'POST',
    path: '/uploads',
    summary: 'Ask for an upload',
    description:
      'Answers where and how the bytes of a file are brought: whole, as `put` says, or, if it is ' +
      'large, in `parts`, each of which can be brought again. The store takes exactly `size` bytes of ' +
      'that type. Then complete the upload, and name it in `data.attachments` of a message. Name the ' +
      'receiver to learn now whether a message to them would be refused. An upload that no message ' +
      'names within a day is removed.',
    effect: 'write',
    body: Type.Object({
      name: Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'Of the file, as readers see it.',
      }),
      size: Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'In bytes.',
      }),
      mimeType: withDefault(
        Type.String({
          pattern: '^[A-Za-z0-9][A-Za-z0-9.+_-]{0,99}/[A-Za-z0-9][A-Za-z0-9.+_-]{0,99}$',
          'x-objection': 'Use a type such as image/png, without parameters',
        }),
        'application/octet-stream',
      ),
      receiver: Type.Optional(Identifier('Uid or guid of the receiver.')),
      receiverType: Type.Optional(OneOf('user', 'group')),
    }),
    response: Data(Upload),
    errors: [
      'ERR_FILES_NOT_CONFIGURED',
      'ERR_FILE_TOO_LARGE',
      'ERR_FILE_QUOTA_EXCEEDED',
      'ERR_UID_NOT_FOUND',
      'ERR_GUID_NOT_FOUND',
      'ERR_PERMISSION_DENIED',
      'ERR_BLOCKED_RECEIVER',
      'ERR_BLOCKED_SENDER',
      'ERR_GROUP_NOT_JOINED',
      'ERR_BANNED_GROUPMEMBER',
    ],
  },
  getUpload: {
    ...shared,
    method: 'GET',
    path: '/uploads/:uploadId',
    summary: 'Get an upload',
    description:
      'Shows the state of an upload and, while it waits for its bytes, fresh addresses for those that ' +
      'are missing: that is how an upload goes on that was cut off. A user sees their own uploads.',
    effect: 'read',
    params: one,
    response: Data(Upload),
    errors: ['ERR_UPLOAD_NOT_FOUND', 'ERR_UID_NOT_FOUND', 'ERR_PERMISSION_DENIED'],
  },
  completeUpload: {
    ...shared,
    method: 'POST',
    path: '/uploads/:uploadId/complete',
    summary: 'Complete an upload',
    description:
      'Says that all bytes were brought. Messages can name the upload from now on. While its state is ' +
      '`checking`, only its sender sees the file. Completed again, the answer is the same.',
    effect: 'write',
    params: one,
    response: Data(Upload),
    errors: [
      'ERR_UPLOAD_NOT_FOUND',
      'ERR_UPLOAD_NOT_READY',
      'ERR_UID_NOT_FOUND',
      'ERR_PERMISSION_DENIED',
    ],
  },
  cancelUpload: {
    ...shared,
    method: 'DELETE',
    path: '/uploads/:uploadId',
    summary: 'Cancel an upload',
    description: 'Removes an upload that no message names, and what was brought of it.',
    effect: 'write',
    params: one,
    response: Data(Outcome),
    errors: [
      'ERR_UPLOAD_NOT_FOUND',
      'ERR_UPLOAD_IN_USE',
      'ERR_UID_NOT_FOUND',
      'ERR_PERMISSION_DENIED',
    ],
  },
})
