import { fieldsOf } from '../accessors.ts'
import type { User } from '../entities/user.ts'

interface TransientFields {
  receiverId: string
  receiverType: string
  data: object
  sender: User
}

const Fields = fieldsOf<TransientFields>(['receiverId', 'receiverType', 'data', 'sender'])

export class TransientMessage extends Fields {
  constructor(receiverId: string, receiverType: string, data: object) {
    super()
    this.receiverId = receiverId
    this.receiverType = receiverType
    this.data = data
  }
}
