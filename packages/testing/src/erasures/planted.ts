import { bring } from '../files/bring.ts'
import type { TestApp } from '../service/test-app.ts'

const inGroup = { receiverType: 'group' } as const

/** Words that only one user has brought, each in another place. */
export class Planted {
  /** By where they are. */
  readonly words = new Map<string, string>()

  word(where: string): string {
    const word = `secret-${String(this.words.size + 1).padStart(2, '0')}`
    this.words.set(word, where)
    return word
  }
}

/** In every place that a user can fill; there are bob, eve and the groups den and left. */
export async function plantSecrets(app: TestApp, uid: string): Promise<Planted> {
  const planted = new Planted()
  await plantProfile(app, uid, planted)
  await plantInGroup(app, uid, planted)
  await plantBetweenTwo(app, uid, planted)
  await plantFile(app, uid, planted)
  await plantBeside(app, uid, planted)
  return planted
}

async function plantProfile(app: TestApp, uid: string, planted: Planted): Promise<void> {
  const full = app.as('full')
  await app.given.user(uid, {
    name: planted.word('name'),
    avatar: `https://x.example/${planted.word('avatar')}.png`,
    link: `https://x.example/${planted.word('link')}`,
    metadata: {
      [planted.word('key of metadata')]: 1,
      deep: { list: [planted.word('deep metadata')] },
    },
  })
  const statusMessage = planted.word('status message')
  const tags = [planted.word('tag of the user'), planted.word('another tag of the user')]
  await full.updateUser({ params: { uid }, body: { statusMessage, tags } })
  const email = `${planted.word('e-mail address')}@x.example`
  await full.updateContactDetails({ onBehalfOf: uid, body: { email } })
  const { authToken } = await app.device(uid)
  await full.registerPushToken({
    onBehalfOf: uid,
    body: { platform: 'fcm_android', fcmToken: planted.word('push token'), authToken },
  })
  await full.blockUsers({ params: { uid }, body: { blockedUids: ['eve'] } })
  await full.addFriends({ params: { uid }, body: { accepted: ['bob'] } })
  const participants = [uid, 'bob']
  for (const guid of ['den', 'left'])
    await full.addMembers({ params: { guid }, body: { participants } })
}

async function plantInGroup(app: TestApp, uid: string, planted: Planted): Promise<void> {
  const full = app.as('full')
  const { message } = app.given
  const { id } = await message(uid, 'den', {
    ...inGroup,
    data: { text: planted.word('text'), metadata: { a: planted.word('metadata of a message') } },
    muid: planted.word('muid'),
    tags: [planted.word('tag of a message')],
  })
  for (const where of ['first edit', 'second edit']) {
    const body = { data: { text: planted.word(where) } }
    await full.editMessage({ params: { id }, onBehalfOf: uid, body })
  }
  await message(uid, 'den', {
    ...inGroup,
    type: 'file',
    data: { attachments: [fileOf(planted)], text: planted.word('caption') },
  })
  await message(uid, 'den', {
    ...inGroup,
    category: 'custom',
    type: 'poll',
    data: { customData: { question: planted.word('custom data') } },
  })
  const { id: gone } = await message(uid, 'den', {
    ...inGroup,
    data: { text: planted.word('text that was deleted') },
  })
  await full.deleteMessage({ params: { id: gone }, onBehalfOf: uid, body: {} })
  const { id: quoted } = await message(uid, 'den', {
    ...inGroup,
    data: { text: planted.word('text that was quoted') },
  })
  const { id: bobs } = await message('bob', 'den', {
    ...inGroup,
    data: { text: `hi <@uid:${uid}>` },
    quotedMessageId: quoted,
  })
  await full.addReaction({
    params: { id: bobs, reaction: planted.word('reaction') },
    onBehalfOf: uid,
  })
  await full.addReaction({ params: { id: bobs, reaction: 'up' }, onBehalfOf: 'bob' })
  await full.changeMemberScope({ params: { guid: 'den', uid }, body: { scope: 'moderator' } })
  await full.pinMessage({ params: { id: bobs }, onBehalfOf: uid })
  await full.saveMessage({ params: { id: bobs }, onBehalfOf: uid })
  const { data: reply } = await full.replyToMessage({
    params: { id: bobs },
    onBehalfOf: uid,
    body: { category: 'message', type: 'text', data: { text: planted.word('reply') } },
  })
  const edited = { data: { text: planted.word('edit of a reply') } }
  const replyId = 'id' in reply ? String(reply.id) : ''
  await full.editMessage({ params: { id: replyId }, onBehalfOf: uid, body: edited })
  const remark = planted.word('remark of a report')
  await full.flagMessage({
    params: { id: bobs },
    onBehalfOf: uid,
    body: { reasonId: 'harassment', remark },
  })
  await full.flagMessage({ params: { id }, onBehalfOf: 'bob', body: { reasonId: 'harassment' } })
  const tags = [planted.word('tag of a conversation')]
  await full.updateGroupConversation({ params: { guid: 'den' }, onBehalfOf: uid, body: { tags } })
  await message(uid, 'left', { ...inGroup, data: { text: planted.word('text in a left group') } })
  await full.leaveGroup({ params: { guid: 'left' }, onBehalfOf: uid })
}

/** A file that is stored here; its bytes have a word, which no table has. */
async function plantFile(app: TestApp, uid: string, planted: Planted): Promise<void> {
  const full = app.as('full')
  const bytes = Buffer.from('secret-bytes')
  const name = `${planted.word('name of a stored file')}.txt`
  const { data: upload } = await full.createUpload({
    onBehalfOf: uid,
    body: { name, size: bytes.length, mimeType: 'text/plain' },
  })
  const { uploadId, put } = upload
  if (!put) throw new Error('A small file comes in one piece.')
  await bring(app, put, bytes)
  await full.completeUpload({ params: { uploadId }, onBehalfOf: uid })
  const data = { attachments: [{ uploadId }] }
  await app.given.message(uid, 'den', { ...inGroup, type: 'file', data })
}

function fileOf(planted: Planted) {
  return {
    name: `${planted.word('name of a file')}.pdf`,
    url: `https://x.example/${planted.word('address of a file')}.pdf`,
    mimeType: 'application/pdf',
    extension: 'pdf',
    size: 1,
  }
}

async function plantBetweenTwo(app: TestApp, uid: string, planted: Planted): Promise<void> {
  const full = app.as('full')
  const { message } = app.given
  const { id } = await message(uid, 'bob', {
    data: { text: planted.word('text to one'), metadata: { b: planted.word('metadata to one') } },
    muid: planted.word('muid to one'),
    tags: [planted.word('tag to one')],
  })
  const body = { data: { text: planted.word('edit to one') } }
  await full.editMessage({ params: { id }, onBehalfOf: uid, body })
  await message(uid, 'bob', { type: 'file', data: { attachments: [fileOf(planted)] } })
  const element = planted.word('element of a form')
  const form = {
    title: planted.word('title of a form'),
    formFields: [{ elementId: 'a', elementType: 'textInput', label: planted.word('label') }],
    submitElement: {
      elementId: element,
      elementType: 'button',
      buttonText: planted.word('button'),
    },
  }
  const { id: asked } = await message(uid, 'bob', {
    category: 'interactive',
    type: 'form',
    data: { interactiveData: form },
  })
  await full.markInteracted({
    params: { id: asked },
    onBehalfOf: 'bob',
    body: { interactions: [element] },
  })
  const { id: bobs } = await message('bob', uid, {
    data: { text: planted.word('what bob answers') },
  })
  const reaction = planted.word('reaction to one')
  await full.addReaction({ params: { id: bobs, reaction }, onBehalfOf: uid })
  await full.markUserConversationRead({ params: { uid: 'bob' }, onBehalfOf: uid, body: {} })
  const tags = [planted.word('tag of a conversation of two')]
  await full.updateUserConversation({ params: { uid: 'bob' }, onBehalfOf: uid, body: { tags } })
}

/** What is moderated elsewhere, and what rules would have caught. */
async function plantBeside(app: TestApp, uid: string, planted: Planted): Promise<void> {
  const full = app.as('full')
  const submitted = {
    sender: uid,
    receiver: 'bob',
    receiverType: 'user',
    category: 'message',
    type: 'text',
  } as const
  const data = {
    text: planted.word('text of a submission'),
    metadata: { c: planted.word('metadata of a submission') },
  }
  const muid = planted.word('muid of a submission')
  await full.submitMessage({ body: { ...submitted, data, muid } })
  for (let nth = 1; planted.words.size < 50; nth++) {
    const text = `${planted.word(`text ${nth}`)} for <@uid:bob>`
    await app.given.message(uid, 'den', { ...inGroup, data: { text } })
  }
}
