import type { KeyboardEvent } from 'react'

/**
 * Arrow keys go from message to message, Home and End to the first and the last, Enter to the
 * buttons of one, Escape back to it. Returns where the list has to go by itself.
 */
export function moveInRows(
  event: KeyboardEvent,
  content: HTMLElement | null,
): 'first' | 'last' | undefined {
  const { key, target } = event
  if (!content || !(target instanceof HTMLElement)) return undefined
  const row = target.closest<HTMLElement>('[data-key]')
  const isInside = row !== null && row !== target
  if (isInside && key !== 'Escape') return undefined
  const next = nextOf(key, row, content)
  if (!next && key !== 'Home' && key !== 'End') return undefined
  event.preventDefault()
  next?.focus()
  if (key === 'Home') return 'first'
  return key === 'End' ? 'last' : undefined
}

function nextOf(key: string, row: HTMLElement | null, content: HTMLElement): HTMLElement | null {
  if (key === 'ArrowUp' || key === 'ArrowDown') {
    if (!row) return lastSeen(content)
    const next = key === 'ArrowUp' ? row.previousElementSibling : row.nextElementSibling
    return next instanceof HTMLElement ? next : null
  }
  if (key === 'Enter' && row) return row.querySelector<HTMLElement>('[role=toolbar] button')
  return key === 'Escape' ? row : null
}

/** The lowest row that is in view. */
function lastSeen(content: HTMLElement): HTMLElement | null {
  const end = content.parentElement?.getBoundingClientRect().bottom ?? 0
  const rows = [...content.children].filter((row) => row instanceof HTMLElement)
  return rows.findLast((row) => row.getBoundingClientRect().top < end - 8) ?? null
}
