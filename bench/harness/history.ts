import { groups, membersPerGroup, pairs } from './conversations.ts'
import { list, type Spread, type Target } from './sends.ts'

export type Kind = 'user' | 'group'
export const kinds = ['user', 'group'] as const
export const perPage = 30

/** Calls the last messages of a conversation, each time another one, as somebody who takes part. */
export function historyScript(
  target: Target,
  kind: Kind,
  { apps, pairs: among }: Spread = { apps: [target], pairs },
): string {
  const choice = {
    user: `
  local c = random(${among})
  local caller, of = c, 'users/user-' .. c % ${among} + 1`,
    group: `
  local g = random(${groups})
  local caller, of = 1 + (g * ${membersPerGroup} + random(0, ${membersPerGroup - 1})) % ${pairs}, 'groups/group-' .. g`,
  }
  const { host } = new URL(target.origin)
  const heads = apps.map(
    ({ appId, apiKey }) =>
      `/messages?limit=${perPage} HTTP/1.1\r\nHost: ${host}\r\nappId: ${appId}\r\n` +
      `apikey: ${apiKey}\r\nonBehalfOf: user-`,
  )
  return `
math.randomseed(${Math.floor(Math.random() * 2 ** 31)})
local random = math.random
local heads = ${list(heads)}
function request()${choice[kind]}
  return 'GET /v3/' .. of .. heads[random(#heads)] .. caller .. '\\r\\n\\r\\n'
end
`
}

/** The rows alone, as PostgreSQL gives them to its own driver. */
export function bareHistory(kind: Kind): string {
  const [first, last] = kind === 'user' ? [1, pairs] : [pairs + 1, pairs + groups]
  return `
\\set c random(${first}, ${last})
\\set b :c % 64
select id, sender, category, type, muid, data, extra, sent_at, coalesce(updated_at, sent_at), edited_at, deleted_at
from entries where bucket = :b and conversation_key = :c order by seq desc limit ${perPage};
`
}
