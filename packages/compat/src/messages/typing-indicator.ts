import { fieldsOf } from '../accessors.ts'
import type { User } from '../entities/user.ts'

interface TypingFields {
  receiverId: string
  receiverType: string
  metadata: object
  sender: User
}

const Fields = fieldsOf<TypingFields>(['receiverId', 'receiverType', 'metadata', 'sender'])

export class TypingIndicator extends Fields {
  constructor(receiverId: string, receiverType: string, metadata?: object) {
    super()
    this.receiverId = receiverId
    this.receiverType = receiverType
    if (metadata) this.metadata = metadata
  }
}
