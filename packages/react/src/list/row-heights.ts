const blockBits = 8

/** Heights of the rows of a list, measured or estimated; sums of them take the time of a few hundred additions. */
export class RowHeights {
  readonly #estimate: number
  #heights = new Float64Array(0)
  /** Of 256 rows each. */
  #blocks = new Float64Array(0)

  constructor(estimate: number) {
    this.#estimate = estimate
  }

  get length(): number {
    return this.#heights.length
  }

  get total(): number {
    return this.#blocks.reduce((sum, block) => sum + block, 0)
  }

  /** There are so many rows now, of which `before` are new and stand before those that were there. */
  resize(length: number, before: number): void {
    if (length === this.length && before === 0) return
    const heights = new Float64Array(length).fill(this.#estimate)
    heights.set(this.#heights.subarray(0, Math.max(0, length - before)), Math.min(before, length))
    this.#heights = heights
    this.#blocks = new Float64Array((length >> blockBits) + 1)
    for (let index = 0; index < length; index++) this.#grow(index, heights[index] ?? 0)
  }

  set(index: number, height: number): void {
    const before = this.#heights[index]
    if (before === undefined || before === height) return
    this.#heights[index] = height
    this.#grow(index, height - before)
  }

  /** How far the top of a row is from the top of the first. */
  offsetOf(index: number): number {
    const block = index >> blockBits
    let sum = 0
    for (let n = 0; n < block; n++) sum += this.#blocks[n] ?? 0
    for (let n = block << blockBits; n < index; n++) sum += this.#heights[n] ?? 0
    return sum
  }

  /** The row at this distance from the top of the first; the first or the last where there is none. */
  indexAt(offset: number): number {
    let [block, left] = [0, offset]
    while (block < this.#blocks.length - 1 && left >= (this.#blocks[block] ?? 0)) {
      left -= this.#blocks[block++] ?? 0
    }
    let index = block << blockBits
    while (index < this.length - 1 && left >= (this.#heights[index] ?? 0)) {
      left -= this.#heights[index++] ?? 0
    }
    return Math.max(0, Math.min(index, this.length - 1))
  }

  #grow(index: number, by: number): void {
    const block = index >> blockBits
    this.#blocks[block] = (this.#blocks[block] ?? 0) + by
  }
}
