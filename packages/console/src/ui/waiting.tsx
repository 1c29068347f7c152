import { common } from '../strings/frame.ts'

export function Waiting() {
  return (
    <p role="status" className="waiting">
      {common.loading}
    </p>
  )
}
