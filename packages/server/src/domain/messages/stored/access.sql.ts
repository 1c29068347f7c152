import type { GroupScope, ScopePermissions } from '@chorale/contract/groups'
import { sql } from 'kysely'
import type { AppDb } from '../../../database/app-db.ts'

export interface MembershipFacts {
  readonly scope: GroupScope
  readonly owner: boolean
  readonly permissions: ScopePermissions
}

export async function findMembership(
  { appId, db }: AppDb,
  guid: string,
  uid: string,
): Promise<MembershipFacts | undefined> {
  const { rows } = await sql<MembershipFacts>`
    select m.scope, g.owner = m.uid as owner, coalesce(s.permissions, '{}') as permissions
    from group_members m
    join groups g on g.app_id = m.app_id and g.guid = m.guid
    left join group_scope_permissions s
      on s.app_id = m.app_id and s.guid = m.guid and s.scope = m.scope
    where m.app_id = ${appId} and m.guid = ${guid} and m.uid = ${uid}`.execute(db)
  return rows[0]
}
