import { afterAll, expect, test } from 'vitest'
import { bring } from '../../../testing/src/files/bring.ts'
import { photoOf } from '../../../testing/src/files/photo.ts'
import { openReactPages } from '../../../testing/src/network/react-page.ts'
import { startS3Server } from '../../../testing/src/providers/s3-server.ts'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const wait = { timeout: 30_000, interval: 50 }
const s3 = stack.use(await startS3Server())
const checked = { FILES_CHECK: 'on', FILES_CHECK_PROCESSES: '1' }
const fixture = stack.use(await startRealtimeFixture({ ...s3.settings, ...checked }))
const { app, full, tokenOf } = fixture
const pages = await openReactPages(stack)
await app.given.users('ann', 'bob')

async function upload(bytes: Buffer, mimeType: string, name: string): Promise<string> {
  const body = { name, size: bytes.length, mimeType }
  const { data } = await full.createUpload({ onBehalfOf: 'ann', body })
  if (data.put) await bring(app, data.put, bytes)
  await full.completeUpload({ params: { uploadId: data.uploadId } })
  return data.uploadId
}
const send = (type: string, text: string, ...uploadIds: string[]) =>
  app.given.message('ann', 'bob', {
    type,
    data: { ...(text && { text }), attachments: uploadIds.map((uploadId) => ({ uploadId })) },
  })

const screenOf = async (uid: string, other: string) =>
  pages.open({
    url: `${app.origin.replace('http', 'ws')}/v3/realtime`,
    appId: app.appId,
    authToken: await tokenOf(uid),
    initial: { receiver: other, receiverType: 'user' },
  })

test('a picture is shown by its thumbnails once it is checked, at the size that it will have', async () => {
  const wide = await upload(await photoOf(1600, 900), 'image/jpeg', 'wide.jpg')
  const tall = await upload(await photoOf(900, 1600), 'image/jpeg', 'tall.jpg')
  const refused = await upload(Buffer.from('<html></html>'), 'image/jpeg', 'page.jpg')
  const notes = await upload(Buffer.from('hello'), 'text/plain', 'notes.txt')
  await send('image', 'Two', wide, tall)
  await send('image', 'A page', refused)
  await send('file', 'Notes', notes)
  await send('image', 'One', wide)
  const bob = await screenOf('bob', 'ann')
  const ann = await screenOf('ann', 'bob')
  const one = bob.getByRole('article').filter({ hasText: 'One' })
  await one.getByText('Being checked').waitFor()
  expect(await one.locator('img').count()).toBe(0)
  await ann.locator('.chorale-picture[data-state=checking]').first().waitFor()
  app.startWorker([])
  const picture = one.getByRole('img', { name: 'wide.jpg' })
  await picture.waitFor()
  expect(await picture.getAttribute('src')).toContain('/medium?')
  expect(await one.getByRole('link').getAttribute('href')).toContain('/clean?')
  const widthOf = () => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)
  await expect.poll(widthOf, wait).toBeGreaterThan(400)
  expect(await picture.boundingBox()).toMatchObject({ width: 548, height: 308.25 })
  await bob.getByRole('article').filter({ hasText: 'A page' }).getByText('Refused').waitFor()
  expect(await bob.locator('img:not([src])').count()).toBe(0)
  const two = bob.getByRole('article').filter({ hasText: 'Two' }).locator('img')
  await two.nth(1).waitFor()
  // Both in one call: the list may scroll between two.
  const [left, right] = await two.evaluateAll((images) =>
    images.map((image) => {
      const { y, width } = image.getBoundingClientRect()
      return { y, width }
    }),
  )
  expect(left).toEqual(right)
  expect(left?.width).toBeGreaterThan(0)
  expect(pages.complaints).toEqual([])
})
