import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Device, startTestApp } from '../../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
let ann: Device
beforeAll(async () => {
  await app.given.users('ann', 'bob')
  ann = await app.device('ann')
})

const customary = {
  message: { type: 'image', data: {} },
  custom: { type: 'invoice', data: { customData: {} } },
  call: { type: 'audio', data: { action: 'initiated' } },
  interactive: { type: 'form', data: { interactiveData: {} } },
} as const
type Category = keyof typeof customary

function sendOf(category: Category, more: object) {
  const { type, data } = customary[category]
  const body = { receiver: 'bob', receiverType: 'user', category, type } as const
  return ann.calls.sendMessage({ body: { ...body, data: { ...data, ...more } } })
}

const categories = Object.keys(customary) as Category[]
const oddLists = [[null], [[]], [{}], [1], ['a'], [{ mimeType: { a: 1 } }], [{ mimeType: null }]]

test.each(categories)('L1: %s with any list of attachments is answered', async (category) => {
  for (const attachments of oddLists) {
    const refused = await sendOf(category, { attachments }).catch((error: unknown) => error)
    if (refused instanceof Error) {
      expect(refused, JSON.stringify(attachments)).toMatchObject({
        code: 'ERR_INVALID_MEDIA_MESSAGE',
      })
    }
  }
})

const scripts = [
  'javascript:alert(1)',
  ' java\nscript:alert(1)',
  'data:text/html,x',
  'blob:x',
  'file:///x',
]

test.each(categories)('L7: %s has no attachment but of http and https', async (category) => {
  for (const url of [...scripts, 'ftp://example.com/a', 'a.png', 1]) {
    await expect(sendOf(category, { attachments: [{ url }] })).rejects.toMatchObject({
      code: 'ERR_INVALID_MEDIA_MESSAGE',
    })
  }
  const { data } = await sendOf(category, { attachments: [{ url: 'HTTPS://example.com/a.png' }] })
  expect(data).toMatchObject({ category })
})

test('L7: an interactive message has links that are safe to open', async () => {
  const send = (interactiveData: object) => sendOf('interactive', { interactiveData })
  for (const url of scripts) {
    const button = { elementId: 'go', action: { actionType: 'urlNavigation', url } }
    for (const form of [
      ...[{ avatarUrl: url }, { icsFileUrl: url }, { formFields: [null, button] }],
      ...[{ cardActions: [button] }, { submitElement: button }, { scheduleElement: button }],
    ]) {
      await expect(send(form), JSON.stringify(form)).rejects.toMatchObject({
        code: 'ERR_INVALID_MESSAGE_DATA',
      })
    }
  }
  const deep = { elementId: 'go', action: { actionType: 'deepLinkAction', url: 'myapp://chat/1' } }
  const form = { avatarUrl: 'https://example.com/a.png', icsFileUrl: '', cardActions: [deep] }
  expect((await send(form)).data).toMatchObject({ category: 'interactive' })
})

test('L7: the icon of a group is of http or https', async () => {
  const { createGroup } = app.as('full')
  const body = { guid: 'den', name: 'Den', type: 'public', icon: 'javascript:alert(1)' } as const
  await expect(createGroup({ body })).rejects.toMatchObject({
    code: 'ERR_BAD_REQUEST',
    details: { icon: [expect.any(String)] },
  })
})
