import { bring } from '../files/bring.ts'
import { startS3Server } from '../providers/s3-server.ts'
import type { TestApp } from '../service/test-app.ts'
import type { Tour } from './tour.ts'

const asAnna = { onBehalfOf: 'anna' } as const

/** An upload from the first call to the last, and the bucket of an app. */
export async function showFiles(tour: Tour, app: TestApp): Promise<void> {
  const { show, call, replace } = tour
  const body = { name: 'summit.jpg', size: 5, mimeType: 'image/jpeg' }
  const { data } = await show.createUpload({ ...asAnna, body })
  const params = { uploadId: data.uploadId }
  const { put } = data
  if (!put) throw new Error('There is no address.')
  // The name of the app has been replaced in it by then.
  const url = put.url.replaceAll(tour.appId, 'bookshop0001')
  replace(url, 'https://files.example.com/files/bookshop0001/ab/summit?e=1767371160&l=5&s=MEYCIQDp')
  await show.getUpload({ ...asAnna, params })
  await bring(app, put, Buffer.from('12345'))
  await show.completeUpload({ ...asAnna, params })
  const { data: other } = await call.createUpload({ ...asAnna, body })
  await show.cancelUpload({ ...asAnna, params: { uploadId: other.uploadId } })
  await using s3 = await startS3Server()
  replace(s3.endpoint, 'https://s3.eu-central-1.amazonaws.com')
  replace(s3.keys.accessKeyId, 'AKIAIOSFODNN7EXAMPLE')
  const bucket = { endpoint: s3.endpoint, bucketName: s3.bucket, ...s3.keys }
  await show.setFileStore({ body: bucket })
  await show.getFileStore({})
  await show.deleteFileStore({})
}
