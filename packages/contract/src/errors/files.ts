import type { ErrorText } from './text.ts'

/** Files and uploads. */
export const fileErrors = {
  ERR_FILES_NOT_CONFIGURED: {
    status: 501,
    message: 'This install stores no files.',
    fix: 'Send a link to a file elsewhere, or let the operator name a store: docs/operate/files.md.',
  },
  ERR_FILE_TOO_LARGE: {
    status: 400,
    message: 'A file may have {most} bytes at most.',
    fix: 'Send a smaller file.',
  },
  ERR_FILE_QUOTA_EXCEEDED: {
    status: 403,
    message: 'There is no room for this file: {what} may store {most} bytes.',
    fix: 'Delete messages with files for ever, or let the operator raise the quota.',
  },
  ERR_UPLOAD_NOT_FOUND: {
    status: 404,
    message: 'The upload {uploadId} does not exist for this caller.',
    fix: 'Use the uploadId of POST /uploads. An upload that no message names is removed after a day.',
  },
  ERR_UPLOAD_NOT_READY: {
    status: 409,
    message: 'The upload {uploadId} cannot be used: {why}.',
    fix: 'Bring all bytes to the addresses that GET /uploads/{uploadId} names, and complete the upload.',
  },
  ERR_UPLOAD_IN_USE: {
    status: 409,
    message: 'A message names the upload {uploadId}.',
    fix: 'Delete the message for ever; its files go with it.',
  },
  ERR_FILE_STORE_NOT_FOUND: {
    status: 404,
    message: 'The app has no bucket of its own.',
    fix: 'Name one with PUT /files/store. Until then its files go where those of the install go.',
  },
  ERR_FILE_STORE_REFUSED: {
    status: 400,
    message: 'The bucket cannot be used: {objection}',
    fix: 'Check the address, the name of the bucket, its keys and their rights: to put, get, list and delete objects.',
  },
  ERR_FILE_ADDRESS_REFUSED: {
    status: 403,
    message: 'This address of a file is not valid, or not any more.',
    fix: 'Ask for the message again: it has a fresh address.',
  },
  ERR_FILE_NOT_FOUND: {
    status: 404,
    message: 'The file does not exist.',
    fix: 'It was deleted, or never brought.',
  },
} as const satisfies Readonly<Record<string, ErrorText>>
