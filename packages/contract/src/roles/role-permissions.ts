import { type Static, Type } from 'typebox'
import { Data, OneOf, Outcome, Page, pageQuery, Timestamp } from '../envelope.ts'
import { operations } from '../operation.ts'
import { RoleId } from './roles.ts'

const Value = Type.Union([
  Type.String({ maxLength: 100 }),
  Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 }),
])

/** What a role may do, for instance `{ createGroup: 'deny' }`. */
const RolePermissions = Type.Record(Type.String(), Value)
export type RolePermissions = Static<typeof RolePermissions>

const Requested = Type.Record(Type.String(), Type.Union([Value, Type.Null()]))

export const PermissionDefinition = Type.Object({
  id: Type.String(),
  type: Type.String(),
  title: Type.String(),
  description: Type.String(),
  dataType: OneOf('string', 'stringArray', 'rolesStringArray', 'customStringArray'),
  availableValues: Type.Optional(Type.Array(Type.String())),
  defaultValue: Value,
  value: Type.Optional(Value),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type PermissionDefinition = Static<typeof PermissionDefinition>

const role = Type.Object({ role: RoleId })

export const rolePermissions = operations({
  listRolePermissions: {
    method: 'GET',
    path: '/roles/:role/permissions',
    summary: 'List the permissions of a role',
    description:
      'Lists every permission with its possible values, its default, and the value that holds ' +
      'for this role.',
    tag: 'Role Permissions',
    effect: 'read',
    requires: 'fullAccess',
    params: role,
    query: Type.Object(pageQuery),
    response: Page(PermissionDefinition),
    errors: ['ERR_ROLE_NOT_FOUND'],
  },
  setRolePermissions: {
    method: 'PUT',
    path: '/roles/:role/permissions',
    summary: 'Set permissions of a role',
    description:
      'Sets permissions of a role; `null` returns one to its default, and permissions that are ' +
      'not named stay as they are. An unknown permission or value is refused alone, inside the ' +
      '200; `permissions` holds all that are set now.',
    tag: 'Role Permissions',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    params: role,
    body: Type.Object({ permissions: Requested }),
    // One verdict per permission sent, beside the whole map that results.
    response: Data(
      Type.Object({ permissions: RolePermissions }, { additionalProperties: Outcome }),
    ),
    errors: ['ERR_ROLE_NOT_FOUND'],
  },
  unsetRolePermission: {
    method: 'DELETE',
    path: '/roles/:role/permissions/:permission',
    summary: 'Unset a permission of a role',
    description:
      'Returns one permission of a role to its default. Refused when there is no such ' +
      'permission.',
    tag: 'Role Permissions',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    params: Type.Object({ role: RoleId, permission: Type.String({ maxLength: 100 }) }),
    response: Data(Type.Object({ permissions: RolePermissions })),
    errors: ['ERR_ROLE_NOT_FOUND'],
  },
})
