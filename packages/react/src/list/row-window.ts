import { RowHeights } from './row-heights.ts'

/** Rendered beyond what is seen, above and below. */
const marginPx = 800
/** Rendered anew when less than this is left. */
const reservePx = 300
/** Nearer to the end than this is at the end. */
const atEndPx = 24

export interface Range {
  readonly start: number
  readonly end: number
}

/**
 * Which rows of a long list are rendered, and where it is scrolled to. Whoever is at its end stays
 * there; for anybody else the row at the top of the view stays where it is, whatever comes above it.
 */
export class RowWindow {
  readonly #heights = new RowHeights(56)
  #first: string | undefined
  #viewPx = 800
  #top = 0
  /** A row, and how far its top is below the top of the view. */
  #anchor = { index: 0, offset: 0 }
  #isAtEnd = true
  range: Range = { start: 0, end: 0 }

  get isAtEnd(): boolean {
    return this.#isAtEnd
  }

  /** Height of what is not rendered before the range, and after it. */
  get before(): number {
    return this.#heights.offsetOf(this.range.start)
  }

  get after(): number {
    return this.#heights.total - this.#heights.offsetOf(this.range.end)
  }

  /** The same keys again are no change. */
  sync<T extends { readonly key: string }>(items: readonly T[]): void {
    const first = this.#first
    const found = first === undefined ? 0 : items.findIndex(({ key }) => key === first)
    const isOther = found < 0
    const before = Math.max(0, found)
    const { length } = this.#heights
    if (isOther) this.#heights.resize(0, 0)
    this.#first = items[0]?.key
    if (items.length === length && before === 0 && !isOther) return
    this.#heights.resize(items.length, isOther ? 0 : before)
    if (isOther) this.#isAtEnd = true
    this.#anchor = { index: this.#anchor.index + before, offset: this.#anchor.offset }
    const { start, end } = this.range
    this.range = this.#isAtEnd
      ? this.#wanted(this.#heights.total - this.#viewPx)
      : this.#clamped(start + before, end + before)
  }

  /** The heights of the rendered rows, as they are on the page. */
  measure(heights: Iterable<number>): void {
    let index = this.range.start
    for (const height of heights) this.#heights.set(index++, height)
  }

  /** Where to scroll to, so that nothing moves for the reader. */
  settle(viewPx: number): number {
    this.#viewPx = viewPx
    const most = Math.max(0, this.#heights.total - viewPx)
    const top = this.#heights.offsetOf(this.#anchor.index) - this.#anchor.offset
    this.#top = this.#isAtEnd ? most : Math.max(0, Math.min(top, most))
    return this.#top
  }

  /** Somebody has scrolled. */
  scrolled(top: number, viewPx: number): void {
    this.#viewPx = viewPx
    if (this.#heights.total - top - viewPx < atEndPx) this.#isAtEnd = true
    else if (top < this.#top - 1) this.#isAtEnd = false
    this.#top = top
    const index = this.#heights.indexAt(top)
    this.#anchor = { index, offset: this.#heights.offsetOf(index) - top }
  }

  /** True: the range has changed. */
  move(): boolean {
    const { start, end } = this.range
    const first = this.#heights.indexAt(this.#top - reservePx)
    const last = this.#heights.indexAt(this.#top + this.#viewPx + reservePx)
    const isEnough = start <= first && last < end
    const wanted = this.#wanted(this.#top)
    const isTooMuch = wanted.start - start > 60 || end - wanted.end > 60
    if ((isEnough && !isTooMuch) || (wanted.start === start && wanted.end === end)) return false
    this.range = wanted
    return true
  }

  toEnd(): void {
    this.#isAtEnd = true
    this.range = this.#wanted(this.#heights.total - this.#viewPx)
  }

  /** Shows a row a third of the view below its top. */
  toRow(index: number): void {
    this.#isAtEnd = false
    this.#anchor = { index, offset: this.#viewPx / 3 }
    this.range = this.#wanted(this.#heights.offsetOf(index) - this.#viewPx / 3)
  }

  #wanted(top: number): Range {
    return this.#clamped(
      this.#heights.indexAt(top - marginPx),
      this.#heights.indexAt(top + this.#viewPx + marginPx) + 1,
    )
  }

  #clamped(start: number, end: number): Range {
    const { length } = this.#heights
    return { start: Math.max(0, Math.min(start, length)), end: Math.min(end, length) }
  }
}
