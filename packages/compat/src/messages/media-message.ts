import { CATEGORY_MESSAGE } from '../constants.ts'
import { notAvailable } from '../missing.ts'
import type { Attachment } from './attachment.ts'
import { type Content, SendableMessage } from './base-message.ts'

export class MediaMessage extends SendableMessage {
  attachments: Attachment[] = []
  caption: string | undefined
  /** Chorale takes links. */
  readonly file: unknown

  constructor(receiverId: string, file: unknown, type: string, receiverType: string) {
    super(receiverId, type, receiverType, CATEGORY_MESSAGE)
    this.file = file === '' ? undefined : file
  }

  getAttachment(): Attachment | undefined {
    return this.attachments[0]
  }

  setAttachment(attachment: Attachment): void {
    this.attachments = [attachment]
  }

  getAttachments(): Attachment[] {
    return this.attachments
  }

  setAttachments(attachments: Attachment[]): void {
    this.attachments = attachments
  }

  getURL(): string | undefined {
    return this.attachments[0]?.url
  }

  getCaption(): string | undefined {
    return this.caption
  }

  setCaption(caption: string): void {
    this.caption = caption
  }

  content(): Content {
    if (this.file !== undefined && this.attachments.length === 0) {
      throw notAvailable('The upload of a file by MediaMessage')
    }
    const { attachments, caption, metadata, type } = this
    const rows = attachments.map(({ url, name, extension, mimeType, size }) => ({
      url,
      name,
      extension,
      mimeType,
      ...(size !== undefined && { size }),
    }))
    return {
      category: 'message',
      type,
      data: {
        attachments: rows,
        ...(caption !== undefined && { text: caption }),
        ...(metadata && { metadata }),
      },
    }
  }
}
