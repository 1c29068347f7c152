import type { imports } from '@chorale/contract/imports'
import type { Handlers } from '../../pipeline/handler.ts'
import type { Passwords } from '../../vault/passwords.ts'
import { importingMessages } from './messages.ts'
import { importingGroups, importingMembers, importingUsers } from './people.ts'
import { importingConversations } from './read-positions.ts'

/** Those that may create a group with a password, which is hashed before the transaction. */
type Keyed = 'importGroups' | 'importMembers' | 'importMessages'

/** What an app brings along from elsewhere. */
export function importHandlers(passwords: Passwords): Handlers<typeof imports, Keyed> {
  return {
    importUsers: importingUsers,
    importGroups: importingGroups(passwords),
    importMembers: importingMembers(passwords),
    importMessages: importingMessages(passwords),
    importConversations: importingConversations,
  }
}
