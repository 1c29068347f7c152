import type { Api } from '@chorale/contract/api'
import type { Conversation, Message } from '@chorale/contract/conversations'
import type { ErrorCode } from '@chorale/contract/errors'
import type { ClientFrame, ServerFrame } from '@chorale/contract/frames'
import type { Group } from '@chorale/contract/groups'
import type { Client, DeviceOperations, Output } from '@chorale/contract/operation'
import type { User } from '@chorale/contract/users'
import { expectTypeOf, test } from 'vitest'
import type * as sdk from './index.ts'

// The compiler checks this file: what the generator prints is what it would infer from the schemas.

test('models, frames and codes are those of the contract', () => {
  expectTypeOf<sdk.Message>().toEqualTypeOf<Message>()
  expectTypeOf<sdk.User>().toEqualTypeOf<User>()
  expectTypeOf<sdk.Group>().toEqualTypeOf<Group>()
  expectTypeOf<sdk.Conversation>().toEqualTypeOf<Conversation>()
  expectTypeOf<sdk.ErrorCode>().toEqualTypeOf<ErrorCode>()
  expectTypeOf<sdk.ServerFrame>().toEqualTypeOf<ServerFrame>()
  expectTypeOf<sdk.ClientFrame>().toExtend<ClientFrame>()
})

/** What is parsed is the caller's own; the contract has lists that handlers may not change. */
type Mutable<T> = T extends readonly (infer I)[]
  ? Mutable<I>[]
  : T extends object
    ? { [K in keyof T]: Mutable<T[K]> }
    : T

test('the functions take what those of the contract take, and answer what they answer', () => {
  expectTypeOf<sdk.ServerClient>().toExtend<Client<Api>>()
  expectTypeOf<sdk.DeviceClient>().toExtend<Client<DeviceOperations<Api>>>()
  expectTypeOf<{ [N in keyof Api]: Mutable<Output<Api[N]>> }>().toExtend<sdk.OperationOutputs>()
  expectTypeOf<keyof sdk.ServerClient>().toEqualTypeOf<keyof Api>()
  expectTypeOf<keyof sdk.DeviceClient>().toEqualTypeOf<keyof DeviceOperations<Api>>()
})
