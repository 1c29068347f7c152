/** What the published package offers. Annotated in full, so that its declarations need no inference. */
import type { TSchema } from 'typebox'
import { allOperations } from './api.ts'
import { ApiKey, App } from './apps/index.ts'
import { Conversation, Message } from './conversations/index.ts'
import { Event } from './events/index.ts'
import * as frames from './frames.ts'
import { Group } from './groups/index.ts'
import type { Operation } from './operation.ts'
import { Role } from './roles/index.ts'
import { AuthToken, User } from './users/index.ts'

export { type ErrorBody, type ErrorCode, errors } from './errors.ts'
export { type OpenApiDocument, openapi } from './openapi.ts'
export { type Effect, type Operation, pipelineErrors, type Requires } from './operation.ts'

/** Every operation, by its name. */
export const operations: ReadonlyMap<string, Operation> = allOperations

/** What operations answer with, as JSON Schema. */
export const models: Readonly<Record<string, TSchema>> = {
  User,
  AuthToken,
  Role,
  ApiKey,
  App,
  Group,
  Message,
  Conversation,
  Event,
}

/** What travels over a realtime connection, by type. */
export const clientFrames: Readonly<Record<string, TSchema>> = frames.clientFrames
export const serverFrames: Readonly<Record<string, TSchema>> = frames.serverFrames
export const closeCodes: Readonly<Record<string, number>> = frames.closeCodes
