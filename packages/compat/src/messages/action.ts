import { CATEGORY_ACTION } from '../constants.ts'
import type { Group } from '../entities/group.ts'
import type { User } from '../entities/user.ts'
import { BaseMessage } from './base-message.ts'

export interface ActionParts {
  readonly action: string
  readonly actionBy: User | undefined
  /** A user, or the message that was edited or deleted. */
  readonly actionOn: User | BaseMessage | undefined
  readonly actionFor: Group | User | undefined
  readonly oldScope: string | undefined
  readonly newScope: string | undefined
}

/** Something that happened to a group, its members or a message. */
export class Action extends BaseMessage implements ActionParts {
  readonly action: string
  readonly actionBy: User | undefined
  readonly actionOn: User | BaseMessage | undefined
  readonly actionFor: Group | User | undefined
  readonly oldScope: string | undefined
  readonly newScope: string | undefined

  constructor(receiverId: string, type: string, receiverType: string, parts: ActionParts) {
    super(receiverId, type, receiverType, CATEGORY_ACTION)
    this.action = parts.action
    this.actionBy = parts.actionBy
    this.actionOn = parts.actionOn
    this.actionFor = parts.actionFor
    this.oldScope = parts.oldScope
    this.newScope = parts.newScope
  }

  getAction(): string {
    return this.action
  }

  getActionBy(): User | undefined {
    return this.actionBy
  }

  getActionOn(): User | BaseMessage | undefined {
    return this.actionOn
  }

  getActionFor(): Group | User | undefined {
    return this.actionFor
  }

  getOldScope(): string | undefined {
    return this.oldScope
  }

  getNewScope(): string | undefined {
    return this.newScope
  }
}
