import { type Static, Type } from 'typebox'
import {
  Data,
  Identifier,
  Metadata,
  OneOf,
  Outcome,
  Page,
  pageQuery,
  Timestamp,
} from '../envelope.ts'
import { operations } from '../operation.ts'

export const RoleId = Identifier('Unique id of a role.')

const Whom = OneOf('all', 'friendsOnly')
const Settings = Type.Object({
  listUsers: Type.Optional(Whom),
  sendMessagesTo: Type.Optional(Whom),
})
export type RoleSettings = Static<typeof Settings>

export const Role = Type.Object({
  role: Type.String(),
  name: Type.String(),
  description: Type.Optional(Type.String()),
  metadata: Type.Optional(Metadata),
  settings: Type.Optional(Settings),
  createdAt: Timestamp,
  updatedAt: Type.Optional(Timestamp),
})
export type Role = Static<typeof Role>

const Name = Type.String({ minLength: 1, maxLength: 100 })
const Description = Type.String({ maxLength: 255 })
const params = Type.Object({ role: RoleId })

export const roles = operations({
  createRole: {
    method: 'POST',
    path: '/roles',
    summary: 'Create a role',
    description:
      'Creates a role, which users can be given. `settings` say whom its users may list and ' +
      'write to. Refused when the role exists already, or when the app has 25 roles.',
    tag: 'Roles',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    body: Type.Object({
      role: RoleId,
      name: Name,
      description: Type.Optional(Description),
      metadata: Type.Optional(Metadata),
      settings: Type.Optional(Settings),
    }),
    response: Data(Role),
    errors: ['ERR_PLAN_QUOTA_RESTRICTION'],
  },
  listRoles: {
    method: 'GET',
    path: '/roles',
    summary: 'List roles',
    description: 'Lists the roles of the app, `default` among them.',
    tag: 'Roles',
    effect: 'read',
    requires: 'fullAccess',
    query: Type.Object(pageQuery),
    response: Page(Role),
    errors: [],
  },
  getRole: {
    method: 'GET',
    path: '/roles/:role',
    summary: 'Get a role',
    description: 'Answers one role.',
    tag: 'Roles',
    effect: 'read',
    requires: 'fullAccess',
    params,
    response: Data(Role),
    errors: ['ERR_ROLE_NOT_FOUND'],
  },
  updateRole: {
    method: 'PUT',
    alsoBy: ['PATCH'],
    path: '/roles/:role',
    summary: 'Update a role',
    description:
      'Changes a role; fields that are not sent stay as they are. `unset` empties fields.',
    tag: 'Roles',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    params,
    body: Type.Object({
      name: Type.Optional(Type.String({ maxLength: 100, description: 'Empty: unchanged.' })),
      description: Type.Optional(Description),
      metadata: Type.Optional(Metadata),
      settings: Type.Optional(Settings),
      unset: Type.Optional(
        Type.Array(OneOf('settings', 'description', 'metadata'), { maxItems: 3 }),
      ),
    }),
    response: Data(Role),
    errors: ['ERR_ROLE_NOT_FOUND'],
  },
  deleteRole: {
    method: 'DELETE',
    path: '/roles/:role',
    summary: 'Delete a role',
    description:
      'Deletes a role. The role `default`, and a role that users still have, cannot be deleted.',
    tag: 'Roles',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    params,
    response: Data(Outcome),
    errors: ['ERR_ROLE_NOT_FOUND', 'ERR_ROLE_DELETE_DENIED'],
  },
})
