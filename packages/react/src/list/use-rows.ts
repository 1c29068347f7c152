import { type RefObject, useEffect, useLayoutEffect, useReducer, useState } from 'react'
import { RowWindow } from './row-window.ts'

export interface Rows {
  readonly start: number
  readonly end: number
  /** In pixels: the room for rows that are not rendered. */
  readonly before: number
  readonly after: number
  readonly isAtEnd: boolean
  toEnd(): void
  toRow(index: number): void
}

interface Keyed {
  readonly key: string
}

interface RowsOptions {
  readonly items: readonly Keyed[]
  /** What scrolls, and in it the element whose children are the rows. */
  readonly scroller: RefObject<HTMLElement | null>
  readonly content: RefObject<HTMLElement | null>
  /** The first rows are nearly seen. */
  readonly onStart: () => void
}

/** Which rows to render of a list that is read from its end. */
export function useRows({ items, scroller, content, onStart }: RowsOptions): Rows {
  const [rows] = useState(() => new RowWindow())
  const [, render] = useReducer((count: number) => count + 1, 0)
  rows.sync(items)

  useLayoutEffect(() => {
    if (scroller.current && content.current) settle(rows, scroller.current, content.current)
    if (rows.move()) render()
    else if (rows.range.start === 0) onStart()
  })

  useEffect(() => {
    const [view, list] = [scroller.current, content.current]
    if (!view || !list) return
    const change = () => {
      settle(rows, view, list)
      if (rows.move()) render()
    }
    const scroll = () => {
      const { isAtEnd } = rows
      rows.scrolled(view.scrollTop, view.clientHeight)
      if (rows.move() || rows.isAtEnd !== isAtEnd) render()
    }
    // Pictures that are loaded, text that grows, a window that is turned.
    const observer = new ResizeObserver(change)
    observer.observe(view)
    observer.observe(list)
    view.addEventListener('scroll', scroll, { passive: true })
    return () => {
      observer.disconnect()
      view.removeEventListener('scroll', scroll)
    }
  }, [rows, scroller, content])

  return {
    start: rows.range.start,
    end: rows.range.end,
    before: rows.before,
    after: rows.after,
    isAtEnd: rows.isAtEnd,
    toEnd() {
      rows.toEnd()
      render()
    },
    toRow(index) {
      rows.toRow(index)
      render()
    },
  }
}

function settle(rows: RowWindow, view: HTMLElement, list: HTMLElement): void {
  rows.measure(Array.from(list.children, (row) => row.getBoundingClientRect().height))
  const top = rows.settle(view.clientHeight)
  if (Math.abs(view.scrollTop - top) >= 1) view.scrollTop = top
}
