import { useState } from 'react'
import { attachments as texts } from '../strings/attachments.ts'

interface Attachment {
  readonly uploadId?: unknown
  readonly url?: unknown
  readonly name?: unknown
  readonly mimeType?: unknown
  readonly state?: unknown
}

/** The files of a message. Pictures of uploads are shown; where a link leads, only its address says. */
export function Attachments({ data }: { readonly data: unknown }) {
  const { attachments, metadata } = Object(data) as { attachments?: unknown; metadata?: unknown }
  if (!Array.isArray(attachments) || attachments.length === 0) return null
  return (
    <ul className="attachments">
      {attachments.map((attachment: Attachment, nth) => (
        // Places do not change: an edit makes another message.
        // biome-ignore lint/suspicious/noArrayIndexKey: the same file may be named twice
        <li key={nth}>
          <One attachment={attachment} thumbnail={thumbnailIn(metadata, nth)} />
        </li>
      ))}
    </ul>
  )
}

interface OneProps {
  readonly attachment: Attachment
  readonly thumbnail: string | undefined
}

function One({ attachment, thumbnail }: OneProps) {
  const [isBroken, setBroken] = useState(false)
  const { uploadId, name, mimeType, state } = attachment
  const url = httpUrl(attachment.url)
  const title = typeof name === 'string' ? name : (url ?? texts.file)
  if (url === undefined) {
    return (
      <span className="hint">{`${title}: ${state === 'refused' ? texts.refused : texts.unseen}`}</span>
    )
  }
  const isPicture = uploadId !== undefined && String(mimeType).startsWith('image/')
  const picture = thumbnail ?? (isPicture ? url : undefined)
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {picture !== undefined && !isBroken && (
        // A bucket of the app may be elsewhere, and the page loads nothing from there.
        <img src={picture} alt="" onError={() => setBroken(true)} />
      )}
      {title}
    </a>
  )
}

/** Where the service puts them. */
function thumbnailIn(metadata: unknown, nth: number): string | undefined {
  const { extensions } = Object(Object(metadata)['@injected'])
  const { attachments } = Object(Object(extensions)['thumbnail-generation'])
  return httpUrl(Object(Object(Object(Object(attachments)[nth]).data).thumbnails).url_medium)
}

function httpUrl(url: unknown): string | undefined {
  return typeof url === 'string' && /^https?:/i.test(url) ? url : undefined
}
