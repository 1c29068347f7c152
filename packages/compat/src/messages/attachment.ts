import { fieldsOf } from '../accessors.ts'

interface AttachmentFields {
  url: string
  name: string
  extension: string
  mimeType: string
  size: number
}

const Fields = fieldsOf<AttachmentFields>(['url', 'name', 'extension', 'mimeType', 'size'])

export class Attachment extends Fields {
  constructor(given: {
    readonly name?: string
    readonly extension?: string
    readonly mimeType?: string
    readonly url?: string
    readonly size?: number | string
  }) {
    super()
    Object.assign(this, given)
  }
}
