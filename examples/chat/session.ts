import { type Chat, createChat, type Target } from '@chorale/sdk'

export interface Person {
  readonly uid: string
  readonly name: string
  readonly statusMessage: string
}

export async function listPeople(): Promise<readonly Person[]> {
  return (await fetch('/demo/people')).json()
}

interface Login {
  readonly appId: string
  readonly authToken: string
}

/** A real application asks its own server, which knows who has signed in. */
async function login(uid: string): Promise<Login> {
  const response = await fetch(`/demo/login?uid=${encodeURIComponent(uid)}`, { method: 'POST' })
  const answer = await response.json()
  if (!response.ok) throw new Error(answer.error.message)
  return answer
}

export async function openChat(uid: string): Promise<Chat> {
  const { appId } = await login(uid)
  return createChat({
    url: `${location.origin.replace(/^http/, 'ws')}/v3/realtime`,
    appId,
    authToken: async () => (await login(uid)).authToken,
  })
}

/** What the address says is open at first. */
export function targetIn(asked: URLSearchParams): Target | undefined {
  const [guid, uid] = [asked.get('group'), asked.get('user')]
  if (guid) return { receiver: guid, receiverType: 'group' }
  return uid ? { receiver: uid, receiverType: 'user' } : undefined
}
