import { CATEGORY_CUSTOM } from '../constants.ts'
import { type Content, SendableMessage } from './base-message.ts'

export class CustomMessage extends SendableMessage {
  customData: object
  subType: string | undefined
  conversationText: string | undefined
  #updatesConversation: boolean | undefined
  #sendsNotification: boolean | undefined

  constructor(receiverId: string, receiverType: string, customType: string, customData: object) {
    super(receiverId, customType, receiverType, CATEGORY_CUSTOM)
    this.customData = customData
  }

  getCustomData(): object {
    return this.customData
  }

  setCustomData(customData: object): void {
    this.customData = customData
  }

  getSubType(): string | undefined {
    return this.subType
  }

  setSubType(subType: string): void {
    this.subType = subType
  }

  getConversationText(): string | undefined {
    return this.conversationText
  }

  /** What the list of conversations and notifications show. */
  setConversationText(text: string): void {
    this.conversationText = text
  }

  shouldUpdateConversation(isOn: boolean): void {
    this.#updatesConversation = isOn
  }

  shouldSendNotification(isOn: boolean): void {
    this.#sendsNotification = isOn
  }

  content(): Content {
    const { customData, subType, conversationText: text, metadata } = this
    const all = {
      customData,
      metadata,
      subType,
      text,
      updateConversation: this.#updatesConversation,
      sendNotification: this.#sendsNotification,
    }
    const data = Object.entries(all).filter(([, value]) => value !== undefined)
    return { category: 'custom', type: this.type, data: Object.fromEntries(data) }
  }
}
