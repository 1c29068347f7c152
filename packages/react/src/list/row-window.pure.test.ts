import { describe, expect, test } from 'vitest'
import { RowHeights } from './row-heights.ts'
import { RowWindow } from './row-window.ts'

const keyed = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({ key: `k${from + n}` }))

describe('heights', () => {
  test('sums and places are those of a plain list', () => {
    const heights = new RowHeights(50)
    heights.resize(1000, 0)
    const plain = Array.from({ length: 1000 }, () => 50)
    for (let n = 0; n < 1000; n += 3) {
      heights.set(n, n % 97)
      plain[n] = n % 97
    }
    let sum = 0
    for (const [index, height] of plain.entries()) {
      expect(heights.offsetOf(index)).toBe(sum)
      if (height > 0) expect(heights.indexAt(sum)).toBe(index)
      sum += height
    }
    expect(heights.total).toBe(sum)
    expect([heights.indexAt(-5), heights.indexAt(sum + 5)]).toEqual([0, 999])
  })

  test('rows put before or after leave the known heights where they belong', () => {
    const heights = new RowHeights(50)
    heights.resize(3, 0)
    for (const [index, height] of [10, 20, 30].entries()) heights.set(index, height)
    heights.resize(6, 2)
    expect([2, 3, 4, 5].map((index) => heights.offsetOf(index))).toEqual([100, 110, 130, 160])
    expect(heights.total).toBe(210)
    heights.resize(1, 0)
    expect(heights.total).toBe(50)
  })
})

describe('a window', () => {
  test('stays at the end while rows come, and shows few of them', () => {
    const rows = new RowWindow()
    rows.sync(keyed(0, 100_000))
    expect(rows.range.end).toBe(100_000)
    expect(rows.range.end - rows.range.start).toBeLessThan(60)
    rows.settle(600)
    rows.sync(keyed(0, 100_001))
    expect(rows.range.end).toBe(100_001)
    expect(rows.settle(600)).toBe(100_001 * 56 - 600)
  })

  test('keeps the row at the top where it is when older ones come before it', () => {
    const rows = new RowWindow()
    rows.sync(keyed(100, 100))
    rows.settle(600)
    rows.scrolled(1000, 600)
    expect(rows.isAtEnd).toBe(false)
    const { start } = rows.range
    rows.sync(keyed(70, 130))
    expect(rows.range.start).toBe(start + 30)
    expect(rows.settle(600)).toBe(1000 + 30 * 56)
    rows.measure([100])
    rows.sync(keyed(70, 131))
    expect(rows.isAtEnd).toBe(false)
  })

  test('another list begins at its end', () => {
    const rows = new RowWindow()
    rows.sync(keyed(0, 500))
    rows.settle(600)
    rows.scrolled(10, 600)
    rows.sync(keyed(9000, 300))
    expect([rows.isAtEnd, rows.range.end]).toEqual([true, 300])
  })

  test('growth alone does not leave the end; scrolling up does', () => {
    const rows = new RowWindow()
    rows.sync(keyed(0, 100))
    const end = rows.settle(600)
    rows.measure([500])
    rows.scrolled(end, 600)
    expect(rows.isAtEnd).toBe(true)
    rows.scrolled(end - 200, 600)
    expect(rows.isAtEnd).toBe(false)
  })
})
