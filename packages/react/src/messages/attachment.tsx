import { useFormat, useStrings } from '../provider/context.ts'
import { Icon } from '../provider/icon.tsx'
import type { AttachmentProps } from '../provider/slots.ts'
import { safeUrl } from './message-parts.ts'

/** A picture, a film, a sound, or a file to open. */
export function Attachment({ attachment, type, isActive }: AttachmentProps) {
  const strings = useStrings()
  const url = safeUrl(attachment.url)
  const tabIndex = isActive ? 0 : -1
  const { name, mimeType = '' } = attachment
  if (type === 'image' || mimeType.startsWith('image/')) {
    return (
      <a className="chorale-picture" href={url} target="_blank" rel="noopener" tabIndex={tabIndex}>
        <img src={url} alt={name ?? strings.photo} loading="lazy" />
      </a>
    )
  }
  if (type === 'video' || mimeType.startsWith('video/')) {
    return (
      // biome-ignore lint/a11y/useMediaCaption: captions are not part of a message.
      <video
        className="chorale-video"
        src={url}
        controls
        preload="metadata"
        aria-label={name ?? strings.video}
        tabIndex={tabIndex}
      />
    )
  }
  if (type === 'audio' || mimeType.startsWith('audio/')) {
    return (
      // biome-ignore lint/a11y/useMediaCaption: captions are not part of a message.
      <audio
        className="chorale-audio"
        src={url}
        controls
        preload="none"
        aria-label={name ?? strings.audio}
        tabIndex={tabIndex}
      />
    )
  }
  return <FileLink attachment={attachment} type={type} isActive={isActive} />
}

function FileLink({ attachment, isActive }: AttachmentProps) {
  const strings = useStrings()
  const format = useFormat()
  const size = Number(attachment.size)
  return (
    <a
      className="chorale-file"
      href={safeUrl(attachment.url)}
      target="_blank"
      rel="noopener"
      tabIndex={isActive ? 0 : -1}
    >
      <Icon name="file" />
      <span className="chorale-file-name">{attachment.name ?? strings.file}</span>
      {size > 0 && <small>{format.size(size)}</small>}
    </a>
  )
}
