import { useSyncExternalStore } from 'react'

interface Toast {
  readonly id: number
  readonly text: string
}

const shownMs = 5000
let toasts: readonly Toast[] = []
let count = 0
const listeners = new Set<() => void>()

function set(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

/** Says for some seconds that something was done. */
export function toast(text: string): void {
  const id = ++count
  set([...toasts.slice(-2), { id, text }])
  setTimeout(() => set(toasts.filter((one) => one.id !== id)), shownMs)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <div className="toasts" role="status">
      {shown.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  )
}
