import { useStrings } from '../provider/context.ts'

/** A number of unread messages. */
export function UnreadBadge({ count }: { readonly count: number }) {
  const strings = useStrings()
  return (
    <span className="chorale-badge" role="img" aria-label={strings.unread(count)}>
      {count > 99 ? '99+' : count}
    </span>
  )
}
