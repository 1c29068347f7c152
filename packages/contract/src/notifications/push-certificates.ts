import { Type } from 'typebox'
import { AppId } from '../apps/apps.ts'
import { Data } from '../envelope.ts'
import { operations } from '../operation.ts'
import { ExtensionAnswer } from './extensions.ts'

const path = '/apps/:appId/extensions/push-notification/v1'
const shared = {
  tag: 'Extensions',
  requires: 'management',
  params: Type.Object({ appId: AppId }),
  // Pages show parts of it, one here and one there.
  response: Data(
    ExtensionAnswer(
      Type.Object({
        success: Type.Boolean(),
        certificate_p12: Type.Boolean(),
        certificate_p8: Type.Boolean(),
      }),
    ),
  ),
  errors: ['ERR_APP_NOT_FOUND'],
} as const

const Certificate = Type.String({ format: 'binary', minLength: 1, maxLength: 30_000 })

export const pushCertificates = operations({
  uploadCertificateP12: {
    ...shared,
    method: 'POST',
    path: `${path}/upload-certificate-p12`,
    summary: 'Upload a certificate for APNs',
    description:
      'Uploads a certificate for APNs as a `.p12` file, with its password. It is checked, ' +
      'stored encrypted and never answered.',
    effect: 'write',
    audit: true,
    form: Type.Object({
      certificate: Certificate,
      password: Type.Optional(Type.String({ maxLength: 200, description: 'Of the file.' })),
    }),
  },
  uploadCertificateP8: {
    ...shared,
    method: 'POST',
    path: `${path}/upload-certificate-p8`,
    summary: 'Upload a key for APNs',
    description:
      'Uploads a key for APNs as a `.p8` file. It is checked, stored encrypted and never ' +
      'answered.',
    effect: 'write',
    audit: true,
    form: Type.Object({ certificate: Certificate }),
  },
  queryCertificates: {
    ...shared,
    method: 'GET',
    path: `${path}/query-certificates`,
    summary: 'See which certificates are there',
    description: 'Says whether a certificate and a key for APNs were uploaded.',
    effect: 'read',
  },
})
