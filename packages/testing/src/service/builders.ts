import type { Api } from '@chorale/contract/api'
import type { Message } from '@chorale/contract/conversations'
import type { Group } from '@chorale/contract/groups'
import type { CallInput, Client } from '@chorale/contract/operation'
import type { User, users } from '@chorale/contract/users'

type UserBody = CallInput<typeof users.createUser>['body']

/** States to start from, reached through the API only: the service can be in no other. */
export interface Given {
  user(uid: string, more?: Partial<UserBody>): Promise<User>
  users(...uids: readonly string[]): Promise<void>
  group(guid: string, more?: Partial<CallInput<Api['createGroup']>['body']>): Promise<Group>
  /** Sent by the first to the second, who is a user; or to a group, if the rest says so. */
  message(
    onBehalfOf: string,
    receiver: string,
    more?: CallInput<Api['sendMessage']>['body'],
  ): Promise<Message>
  role(role: string, more?: Partial<CallInput<Api['createRole']>['body']>): Promise<void>
}

export function givenWith(client: Client<Api>): Given {
  const user = async (uid: string, more: Partial<UserBody> = {}) =>
    (await client.createUser({ body: { uid, name: uid.toUpperCase(), ...more } })).data
  return {
    user,
    async users(...uids) {
      for (const uid of uids) await user(uid)
    },
    async group(guid, more = {}) {
      const body = { guid, name: guid.toUpperCase(), type: 'public', ...more } as const
      return (await client.createGroup({ body })).data
    },
    async message(onBehalfOf, receiver, more = {}) {
      const plain = { receiverType: 'user', data: { text: 'hello' } } as const
      const body = { receiver, ...plain, ...more }
      const { data } = await client.sendMessage({ onBehalfOf, body })
      if (!('id' in data)) throw new Error('One receiver, one message.')
      return data
    },
    async role(role, more = {}) {
      await client.createRole({ body: { role, name: role.toUpperCase(), ...more } })
    },
  }
}
