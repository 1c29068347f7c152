import { generateKeyPairSync } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { auditOf } from '../../../../../testing/src/data/audit.ts'
import { makeAuthority } from '../../../../../testing/src/network/certificates.ts'
import { legacyP12, p12 } from '../../../../../testing/src/network/p12.ts'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'
import { highestIterations } from './p12-iterations.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const { uploadCertificateP12, uploadCertificateP8, queryCertificates } = app.as('full')
const params = { appId: app.appId }

const pemOf = (namedCurve: string) =>
  generateKeyPairSync('ec', {
    namedCurve,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey
const p8 = pemOf('prime256v1')
const file = (content: string | Buffer) => new Blob([Uint8Array.from(Buffer.from(content))])
const p12File = file(Buffer.from(p12, 'base64'))

const uploadP8 = (content: string) =>
  uploadCertificateP8({ params, form: { certificate: file(content) } })
const objection = (text: RegExp) => ({
  code: 'ERR_BAD_REQUEST',
  details: { certificate: [expect.stringMatching(text)] },
})

test('certificates are there once they were uploaded', async () => {
  const present = async () => (await queryCertificates({ params })).data.body
  expect(await present()).toMatchObject({ certificate_p12: false, certificate_p8: false })
  const { data } = await uploadP8(p8)
  expect(data).toMatchObject({ statusCode: 200, success: true, body: { success: true } })
  expect(await present()).toMatchObject({ certificate_p12: false, certificate_p8: true })
  const form = { certificate: p12File, password: 'sesame' }
  expect((await uploadCertificateP12({ params, form })).data.body).toEqual({
    success: true,
    certificate_p12: true,
    certificate_p8: true,
  })
})

test('they are nowhere in the clear', async () => {
  await uploadP8(p8)
  const { rows } = await sql<{ row: string }>`
    select c::text as row from push_certificates c where app_id = ${app.appId}`.execute(app.db)
  const kept = JSON.stringify([rows, await auditOf(app.db, app.appId)])
  const secret = Buffer.from(p8).toString('base64').slice(80, 120)
  expect(kept).toContain('uploadCertificateP8')
  expect(kept).not.toContain(secret)
  expect(kept).not.toContain(Buffer.from(secret).toString('hex'))
  expect(kept).not.toContain('sesame')
})

describe('refused', () => {
  test.each([
    ['-iter', '60000'],
    ['-iter', '60000', '-nomaciter'],
  ])('L19: is a file whose password takes long to hash (%s %s %s)', async (...how) => {
    const authority = makeAuthority()
    const bundle = authority.bundle(authority.sign('slow'), 'sesame', how)
    const form = { certificate: file(bundle), password: 'sesame' }
    const refusal = objection(/hashed more than 50000 times/)
    await expect(uploadCertificateP12({ params, form })).rejects.toMatchObject(refusal)
    expect(highestIterations(bundle)).toBe(60_000)
    expect(highestIterations(Buffer.from(p12, 'base64'))).toBe(2048)
    expect(highestIterations(Buffer.from(legacyP12, 'base64'))).toBe(2048)
    // Whatever it is, it is looked at to its end.
    expect(highestIterations(Buffer.alloc(100_000, 0x30))).toBe(0)
  })

  test('is a p8 that APNs could not sign with', async () => {
    await expect(uploadP8('tea')).rejects.toMatchObject(objection(/not a private key/))
    await expect(uploadP8(pemOf('secp384r1'))).rejects.toMatchObject(objection(/P-256/))
  })

  test('is a p12 that does not open', async () => {
    const upload = (certificate: Blob, password: string) =>
      uploadCertificateP12({ params, form: { certificate, password } })
    await expect(upload(p12File, 'wrong')).rejects.toMatchObject(objection(/password/))
    await expect(upload(file('tea'), 'sesame')).rejects.toMatchObject(objection(/PKCS #12/))
    const legacy = file(Buffer.from(legacyP12, 'base64'))
    await expect(upload(legacy, 'sesame')).rejects.toMatchObject(objection(/too old/))
  })

  test('is a body that is no form', async () => {
    const path = `/apps/${app.appId}/extensions/push-notification/v1/upload-certificate-p8`
    const send = async (type: string, body: string) => {
      const headers = { ...app.management, 'content-type': type }
      const answer = await fetch(app.managementOrigin + path, { method: 'POST', headers, body })
      return [answer.status, Object.keys((await answer.json()).error.details)]
    }
    expect(await send('application/json', '{}')).toEqual([400, ['content-type']])
    expect(await send('multipart/form-data; boundary=x', 'tea')).toEqual([400, ['body']])
    expect(await send('multipart/form-data', '')).toEqual([400, ['content-type']])
    const empty = '--x\r\ncontent-disposition: form-data; name="other"\r\n\r\n1\r\n--x--\r\n'
    expect(await send('multipart/form-data; boundary=x', empty)).toEqual([400, ['certificate']])
  })

  test('is an app that does not exist', async () => {
    const nobody = { params: { appId: 'nobody' }, form: { certificate: file(p8) } }
    const refusal = { code: 'ERR_APP_NOT_FOUND' }
    await expect(uploadCertificateP8(nobody)).rejects.toMatchObject(refusal)
    await expect(uploadCertificateP12(nobody)).rejects.toMatchObject(refusal)
    await expect(queryCertificates({ params: nobody.params })).rejects.toMatchObject(refusal)
  })
})
