import { accessErrors } from './errors/access.ts'
import { connectionErrors } from './errors/connections.ts'
import { fileErrors } from './errors/files.ts'
import { generalErrors } from './errors/general.ts'
import { messageErrors } from './errors/messages.ts'
import { moderationErrors } from './errors/moderation.ts'
import { peopleErrors } from './errors/people.ts'

/** By what they are about. */
export const errorGroups = {
  General: generalErrors,
  'Credentials, roles and permissions': accessErrors,
  'Users and groups': peopleErrors,
  'Conversations and messages': messageErrors,
  Files: fileErrors,
  Moderation: moderationErrors,
  'Webhooks, notifications and events': connectionErrors,
} as const

/** Every error code of the interface, with its HTTP status and what the caller reads. */
export const errors = {
  ...accessErrors,
  ...peopleErrors,
  ...messageErrors,
  ...fileErrors,
  ...moderationErrors,
  ...connectionErrors,
  ...generalErrors,
} as const

export type ErrorCode = keyof typeof errors

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never

/** What the texts of a code are filled with. */
export type ErrorValueName<Code extends ErrorCode> = NamesIn<
  (typeof errors)[Code]['message'] | (typeof errors)[Code]['fix']
>

/** How every error is answered. */
export interface ErrorBody {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly devMessage: string
    readonly source: string
    readonly details?: Readonly<Record<string, readonly string[]>>
  }
}
