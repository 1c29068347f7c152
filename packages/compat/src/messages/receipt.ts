import { fieldsOf } from '../accessors.ts'
import type { User } from '../entities/user.ts'

interface ReceiptFields {
  messageId: string
  sender: User
  receiver: string
  receiverType: string
  receiptType: string
  timestamp: string
  deliveredAt: number
  readAt: number
}

const Fields = fieldsOf<ReceiptFields>([
  'messageId',
  'sender',
  'receiver',
  'receiverType',
  'receiptType',
  'timestamp',
  'deliveredAt',
  'readAt',
])

/** That a user has received or read everything up to a message. */
export class MessageReceipt extends Fields {
  static readonly RECEIPT_TYPE = { DELIVERY: 'delivery', READ: 'read' } as const

  constructor(given: Partial<ReceiptFields>) {
    super()
    Object.assign(this, given)
  }
}
