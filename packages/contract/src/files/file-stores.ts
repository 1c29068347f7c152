import { type Static, Type } from 'typebox'
import { Data, OneOf, Outcome, Timestamp } from '../envelope.ts'
import { operations, withDefault } from '../operation.ts'

const Text = Type.String({ minLength: 1, maxLength: 500 })

const bucket = {
  endpoint: Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'Of the store, as in `https://s3.eu-central-1.amazonaws.com`.',
  }),
  region: withDefault(Text, 'us-east-1'),
  bucketName: Text,
  prefix: withDefault(
    Type.String({
      pattern: '^$|^[A-Za-z0-9_/-]{1,199}/$',
      'x-objection': 'End it with a slash, as in chat/',
      description: 'What every key begins with, as in `chat/`.',
    }),
    '',
  ),
  style: withDefault(OneOf('path', 'host'), 'path'),
  uploads: withDefault(OneOf('post', 'put'), 'post'),
  publicUrl: Type.Optional(
    Type.String({
      maxLength: 500,
      description: 'Where everybody may read it: addresses are not signed then.',
    }),
  ),
  accessKeyId: Text,
}

export const FileStore = Type.Object({
  ...bucket,
  secretAccessKey: Type.String({ description: 'Its last characters.' }),
  createdAt: Timestamp,
})
export type FileStore = Static<typeof FileStore>

const shared = { tag: 'Files', requires: 'fullAccess', path: '/files/store' } as const

export const fileStores = operations({
  getFileStore: {
    ...shared,
    method: 'GET',
    summary: 'Get the own bucket of the app',
    description: 'Shows the bucket that new files of the app go to, where it has named one.',
    effect: 'read',
    response: Data(FileStore),
    errors: ['ERR_FILE_STORE_NOT_FOUND'],
  },
  setFileStore: {
    ...shared,
    method: 'PUT',
    summary: 'Name an own bucket',
    description:
      'New files of the app go to this bucket of a store that speaks S3; what there is stays where it ' +
      'is. An object is written, read and removed there first, and what goes wrong is answered. The ' +
      'same bucket named again gets the new keys.',
    effect: 'write',
    audit: true,
    body: Type.Object({ ...bucket, secretAccessKey: Text }),
    response: Data(FileStore),
    errors: ['ERR_FILE_STORE_REFUSED'],
  },
  deleteFileStore: {
    ...shared,
    method: 'DELETE',
    summary: 'Use the own bucket no more',
    description: 'New files go where those of the install go. What is in the bucket stays there.',
    effect: 'write',
    audit: true,
    response: Data(Outcome),
    errors: ['ERR_FILE_STORE_NOT_FOUND'],
  },
})
