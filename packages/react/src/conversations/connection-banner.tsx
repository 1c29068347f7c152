import { useConnection } from '../hooks/chat.ts'
import { useStrings } from '../provider/context.ts'

/** Says so when there is no connection. */
export function ConnectionBanner() {
  const strings = useStrings()
  const { state } = useConnection()
  return (
    <div className="chorale chorale-connection" role="status" data-state={state}>
      {state === 'online' ? null : strings.connection[state]}
    </div>
  )
}
