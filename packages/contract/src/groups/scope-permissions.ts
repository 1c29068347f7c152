import { type Static, Type } from 'typebox'
import { Data, Outcome, Page, pageQuery } from '../envelope.ts'
import { operations } from '../operation.ts'
import { PermissionDefinition } from '../roles/role-permissions.ts'
import { GroupScope, Guid } from './groups.ts'

const Value = Type.Union([
  Type.String({ maxLength: 100 }),
  Type.Array(Type.String({ maxLength: 100 }), { maxItems: 10 }),
])

/** What a scope may do in one group, for instance `{ sendMessage: 'allow' }`. */
const ScopePermissions = Type.Record(Type.String(), Value)
export type ScopePermissions = Static<typeof ScopePermissions>

const params = Type.Object({ guid: Guid, scope: GroupScope })

export const scopePermissions = operations({
  listScopePermissions: {
    method: 'GET',
    path: '/groups/:guid/scopes/:scope/permissions',
    summary: 'List the permissions of a scope',
    description:
      'Lists every permission that members of a scope can have in a group, with its possible ' +
      'values and the value that holds.',
    tag: 'Scope Permissions',
    effect: 'read',
    requires: 'fullAccess',
    params,
    query: Type.Object(pageQuery),
    response: Page(PermissionDefinition),
    errors: ['ERR_GUID_NOT_FOUND'],
  },
  setScopePermissions: {
    method: 'PUT',
    path: '/groups/:guid/scopes/:scope/permissions',
    summary: 'Set group scope permissions',
    description:
      'Sets what admins, moderators or participants of a group may do. An unknown permission or ' +
      'value is refused alone, inside the 200; `permissions` holds all that are set now.',
    tag: 'Scope Permissions',
    effect: 'write',
    requires: 'fullAccess',
    params,
    body: Type.Object({ permissions: ScopePermissions }),
    // One verdict per permission sent, beside the whole map that results.
    response: Data(
      Type.Object({ permissions: ScopePermissions }, { additionalProperties: Outcome }),
    ),
    errors: ['ERR_GUID_NOT_FOUND'],
  },
  unsetScopePermission: {
    method: 'DELETE',
    path: '/groups/:guid/scopes/:scope/permissions/:permission',
    summary: 'Unset a group scope permission',
    description: 'Returns one permission of a scope in a group to its default.',
    tag: 'Scope Permissions',
    effect: 'write',
    requires: 'fullAccess',
    params: Type.Object({ ...params.properties, permission: Type.String({ maxLength: 100 }) }),
    response: Data(Type.Object({ permissions: ScopePermissions })),
    errors: ['ERR_GUID_NOT_FOUND'],
  },
})
