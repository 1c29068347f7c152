import type { CSSProperties } from 'react'
import { useFormat, useStrings } from '../provider/context.ts'
import { Icon } from '../provider/icon.tsx'
import type { AttachmentProps } from '../provider/slots.ts'
import { safeUrl } from './message-parts.ts'

/** A picture, a film, a sound, or a file to open. */
export function Attachment(props: AttachmentProps) {
  const strings = useStrings()
  const { attachment, isActive } = props
  const url = safeUrl(attachment.url)
  const tabIndex = isActive ? 0 : -1
  const { name, state } = attachment
  if (state && url === undefined) return <UnseenFile attachment={attachment} />
  const kind = kindOf(props)
  if (kind === 'image') return <Picture {...props} />
  if (kind === 'video') {
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
  if (kind === 'audio') {
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
  return <FileLink {...props} />
}

/** What the file is; where nobody knows, what the message is. */
function kindOf({ attachment: { mimeType }, type }: AttachmentProps): string | undefined {
  return mimeType === undefined ? type : mimeType.split('/')[0]
}

/** Of the column of messages, in pixels. */
const maxWidth = 548
const maxHeight = 320
/** The longest side of thumbnails. */
const sides = { medium: 480, large: 1080 } as const

function Picture({ attachment, thumbnails, isActive }: AttachmentProps) {
  const strings = useStrings()
  const url = safeUrl(attachment.url)
  const { name, state, mimeType } = attachment
  const [width, height] = [Number(attachment.width), Number(attachment.height)]
  const isSized = width > 0 && height > 0
  const shown = Math.round(width * Math.min(1, maxWidth / width, maxHeight / height))
  const of = (side: keyof typeof sides) =>
    `${thumbnails?.[side]} ${Math.round(width * Math.min(1, sides[side] / Math.max(width, height)))}w`
  // Thumbnails do not move.
  const isSmaller = isSized && thumbnails && mimeType !== 'image/gif'
  // Properties of our own, which the types of React do not know.
  const style = { '--width': `${shown}px`, '--ratio': `${width} / ${height}` } as CSSProperties
  return (
    <a
      className="chorale-picture"
      href={url}
      target="_blank"
      rel="noopener"
      tabIndex={isActive ? 0 : -1}
      data-state={state}
    >
      <img
        src={isSmaller ? thumbnails.medium : url}
        {...(isSmaller && { srcSet: `${of('medium')}, ${of('large')}`, sizes: `${shown}px` })}
        {...(isSized && { style })}
        alt={name ?? strings.photo}
        loading="lazy"
      />
    </a>
  )
}

/** It is still checked, or was refused. */
function UnseenFile({ attachment }: Pick<AttachmentProps, 'attachment'>) {
  const strings = useStrings()
  const { name, state } = attachment
  return (
    <span className="chorale-file" data-state={state}>
      <Icon name="file" />
      <span className="chorale-file-name">{name ?? strings.file}</span>
      <small>{state === 'refused' ? strings.fileRefused : strings.fileChecking}</small>
    </span>
  )
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
