import type { Api } from '@chorale/contract/api'
import type { Client, DeviceOperations } from '@chorale/contract/operation'

/** What the steps share. They run one after the other, in one app. */
export interface Tour {
  readonly appId: string
  /** Calls that become examples. */
  readonly show: Client<Api>
  /** Calls that prepare them, or wait for something. */
  readonly call: Client<Api>
  /** On a device of this user; they become examples too. */
  device(uid: string): Promise<Client<DeviceOperations<Api>>>
  /** A person in the console, who has signed in; their calls become examples too. */
  person(): Promise<Client<Api>>
  /** At the next call that becomes an example. */
  at(): number
  /** The examples show this text instead. */
  replace(text: string, by: string): void
}

/** For `expect.poll`: what others do, on a machine that may be busy. */
export const patiently = { timeout: 30_000, interval: 50 }

type NewMessage = NonNullable<Parameters<Client<Api>['sendMessage']>[0]>['body']

/** Sends a message that is no example; its id. */
export async function say(
  { call }: Tour,
  onBehalfOf: string,
  receiver: string,
  text: string,
  more: NewMessage = {},
): Promise<string> {
  const body = { receiver, receiverType: 'user', data: { text }, ...more } as const
  const { data } = await call.sendMessage({ onBehalfOf, body })
  if (!('id' in data)) throw new Error('One receiver, one message.')
  return data.id
}
