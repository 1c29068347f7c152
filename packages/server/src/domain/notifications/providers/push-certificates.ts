import { createPrivateKey, type KeyObject } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import type { pushCertificates } from '@chorale/contract/notifications'
import type { AppDb } from '../../../database/app-db.ts'
import { badRequest } from '../../../pipeline/failure.ts'
import type { Handlers, ReadCtx, WriteCtx } from '../../../pipeline/handler.ts'
import { placeIn, sealedColumns } from '../../../vault/sealed-columns.ts'
import type { SealedPlace, Vault } from '../../../vault/vault.ts'
import { extensionAnswer } from '../settings/extensions.ts'
import { highestIterations } from './p12-iterations.ts'
import {
  type CertificateKind,
  certificateKinds,
  findCertificate,
  writeCertificate,
} from './push-certificates.sql.ts'

export const pushCertificateHandlers: Handlers<typeof pushCertificates> = {
  async uploadCertificateP12({ form: { certificate, password } }, ctx) {
    const objection = objectionToP12(Buffer.from(certificate, 'base64'), password)
    if (objection) throw badRequest('certificate', objection)
    return upload(ctx, 'p12', { certificate, password })
  },

  async uploadCertificateP8({ form: { certificate } }, ctx) {
    const objection = objectionToP8(Buffer.from(certificate, 'base64').toString('utf8'))
    if (objection) throw badRequest('certificate', objection)
    return upload(ctx, 'p8', { certificate })
  },

  queryCertificates: (_, ctx) => present(ctx),
}

interface CertificateFile {
  /** In base64. */
  readonly certificate: string
  readonly password?: string | undefined
}

async function upload(ctx: WriteCtx, kind: CertificateKind, file: CertificateFile) {
  const sealed = ctx.vault.seal(JSON.stringify(file), placeOf(ctx.db.appId, kind))
  await writeCertificate(ctx.db, kind, sealed, ctx.now)
  return present(ctx)
}

export async function openCertificate(
  db: AppDb,
  vault: Vault,
  kind: CertificateKind,
): Promise<CertificateFile | undefined> {
  const sealed = await findCertificate(db, kind)
  // As `upload` has sealed it.
  return sealed && (JSON.parse(vault.open(sealed, placeOf(db.appId, kind))) as CertificateFile)
}

function placeOf(appId: string, kind: CertificateKind): SealedPlace {
  return placeIn(sealedColumns.certificate, appId, kind)
}

async function present(ctx: ReadCtx) {
  const kinds = await certificateKinds(ctx.db)
  const has = { certificate_p12: kinds.has('p12'), certificate_p8: kinds.has('p8') }
  return { data: extensionAnswer({ success: true, ...has }) }
}

/** APNs signs with ES256 and nothing else. */
function objectionToP8(pem: string): string | undefined {
  const key = keyOf(pem)
  if (!key) return 'This is not a private key in PEM, as Apple hands it out.'
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  if (type === 'ec' && details?.namedCurve === 'prime256v1') return undefined
  return 'APNs wants an EC key on the curve P-256.'
}

function keyOf(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem)
  } catch {
    // Whatever is wrong with it, it cannot sign.
    return undefined
  }
}

/** OpenSSL and Apple write 2048. So many take some 20 ms each of the three times. */
const maxIterations = 50_000

function objectionToP12(pfx: Buffer, passphrase: string | undefined): string | undefined {
  if (highestIterations(pfx) > maxIterations) {
    return `The password is hashed more than ${maxIterations} times; write the file anew with fewer.`
  }
  try {
    createSecureContext({ pfx, ...(passphrase !== undefined && { passphrase }) })
    return undefined
  } catch (error) {
    const text = error instanceof Error ? error.message : ''
    if (/mac verify/i.test(text)) return 'The password does not open this file.'
    if (/unsupported/i.test(text)) {
      return 'The ciphers of this file are too old; write it anew with `openssl pkcs12 -export`.'
    }
    return 'This is not a PKCS #12 file with a certificate and its key.'
  }
}
