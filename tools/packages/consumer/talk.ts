import { ChoraleError, connect, type ErrorCode, type Message, restClient } from '@chorale/sdk'

export interface Settings {
  readonly origin: string
  readonly appId: string
  readonly apiKey: string
  /** New in the app. */
  readonly uid: string
}

const notFound: ErrorCode = 'ERR_UID_NOT_FOUND'

/** What a first program does: two users, a device, a message each way, a refusal. */
export async function talk({ origin, appId, apiKey, uid }: Settings) {
  const chorale = restClient({ baseUrl: `${origin}/v3`, appId, apiKey })
  const friend = `${uid}-friend`
  for (const one of [uid, friend]) await chorale.createUser({ body: { uid: one, name: one } })
  const { data } = await chorale.createAuthToken({ params: { uid } })
  const url = `${origin.replace('http', 'ws')}/v3/realtime`
  const session = connect({ url, appId, authToken: data.authToken })
  try {
    const received = new Promise<Message>((resolve) => {
      session.on('message', ({ message }) => resolve(message))
    })
    await session.user
    const text = { category: 'message', type: 'text', receiverType: 'user' } as const
    await chorale.sendMessage({
      body: { ...text, receiver: uid, data: { text: 'Hello!' } },
      onBehalfOf: friend,
    })
    const { sender } = await received
    const answer = session.send({ ...text, receiver: sender, data: { text: 'Hello to you!' } })
    const { receiver } = await answer.stored
    return { sender, receiver, refused: await isUnknown('nobody') }
  } finally {
    session.close()
  }

  async function isUnknown(other: string): Promise<boolean> {
    try {
      await chorale.getUser({ params: { uid: other } })
      return false
    } catch (error) {
      if (error instanceof ChoraleError && error.code === notFound) return true
      throw error
    }
  }
}
