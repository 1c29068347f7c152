type Data = Readonly<Record<string, unknown>>

interface Attachment {
  readonly uploadId?: unknown
}

/** An upload is known to its own service alone: elsewhere its address is a link. */
export function withoutUploads(data: Data): Data {
  const { attachments } = data
  if (!Array.isArray(attachments)) return data
  const links = attachments.map((one: Attachment) => {
    const { uploadId: _, ...link } = Object(one)
    return link
  })
  return { ...data, attachments: links }
}
