import { useEffect, useEffectEvent } from 'react'
import type { Decision } from './review-queue.ts'

const byKey: Readonly<Record<string, Decision>> = {
  a: 'approve',
  b: 'block',
  k: 'kick',
  n: 'ban',
  d: 'deactivate',
}

interface Keys {
  readonly move: (by: number) => void
  readonly decide: (decision: Decision) => void
  readonly select: () => void
  readonly undo: () => void
}

/** Letters are commands, unless somebody types a text or uses a control. */
export function useKeys(keys: Keys): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { key, target, ctrlKey, metaKey, altKey } = event
    const isBusy =
      target instanceof Element &&
      target.closest('input:not([type=checkbox]), textarea, select, dialog')
    if (isBusy || ctrlKey || metaKey || altKey) return
    const decision = byKey[key.toLowerCase()]
    if (decision) keys.decide(decision)
    else if (key === 'ArrowDown') keys.move(1)
    else if (key === 'ArrowUp') keys.move(-1)
    else if (key === ' ' && !isControl(target)) keys.select()
    else if (key.toLowerCase() === 'u') keys.undo()
    else return
    event.preventDefault()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event)
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
}

/** The space bar presses it. */
function isControl(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('button, a, input') !== null
}
