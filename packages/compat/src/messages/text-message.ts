import { CATEGORY_MESSAGE, MESSAGE_TYPE } from '../constants.ts'
import { type Content, SendableMessage } from './base-message.ts'

export class TextMessage extends SendableMessage {
  text: string

  constructor(receiverId: string, text: string, receiverType: string) {
    super(receiverId, MESSAGE_TYPE.TEXT, receiverType, CATEGORY_MESSAGE)
    this.text = text
  }

  getText(): string {
    return this.text
  }

  setText(text: string): void {
    this.text = text
  }

  content(): Content {
    const { text, metadata } = this
    return { category: 'message', type: 'text', data: { text, ...(metadata && { metadata }) } }
  }
}
