import { useSlot } from '../provider/context.ts'
import type { AvatarProps } from '../provider/slots.ts'
import { safeImage } from './image.ts'
import { PresenceBadge } from './presence-badge.tsx'

/** A picture, or the initials of the name on a color of its own. */
export function Avatar({ name, image, uid }: AvatarProps) {
  const Badge = useSlot('PresenceBadge', PresenceBadge)
  const url = safeImage(image)
  return (
    <span className="chorale-avatar" data-hue={hueOf(name)}>
      {url ? (
        <img src={url} alt="" loading="lazy" />
      ) : (
        <span aria-hidden="true">{initials(name)}</span>
      )}
      {uid !== undefined && <Badge uid={uid} />}
    </span>
  )
}

function initials(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== '')
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]]
  return letters.map((word = '') => [...word][0]?.toLocaleUpperCase() ?? '').join('')
}

/** One of eight, the same for the same name. */
function hueOf(name: string): number {
  let sum = 0
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003
  return sum % 8
}
