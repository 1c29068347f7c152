import type { Page } from 'playwright-core'
import { deleted, type Row } from './shown-rows.ts'

/**
 * All rows of the open conversation, read from the DOM on the way from the end of the list to its start:
 * only those near the view are in the page.
 */
export function rowsInFeed(page: Page): Promise<readonly Row[]> {
  return page.getByRole('feed').evaluate(async (feed, deletedText) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const settled = async () => {
      do for (let n = 0; n < 3; n++) await frame()
      while (feed.ariaBusy === 'true')
    }
    const inPage = (): Row[] =>
      [...feed.querySelectorAll('.chorale-row')].map((row) => {
        const text = row.querySelector('.chorale-text')
        const isDeleted = text?.classList.contains('chorale-deleted')
        const { key = '' } = (row as HTMLElement).dataset
        return { key, text: isDeleted ? deletedText : (text?.textContent ?? '') }
      })
    const times = (rows: readonly Row[], key: string) =>
      rows.filter((row) => row.key === key).length
    feed.scrollTop = feed.scrollHeight
    await settled()
    let all = inPage()
    for (let [still, steps] = [0, 0]; still < 3 && steps < 1000; steps++) {
      const { scrollTop: before } = feed
      feed.scrollTop = before - feed.clientHeight / 2
      await settled()
      const rows = inPage()
      const added = rows.filter(({ key }, n) => times(rows.slice(0, n + 1), key) > times(all, key))
      all = [...added, ...all]
      still = added.length === 0 && feed.scrollTop === 0 ? still + 1 : 0
    }
    return all
  }, deleted)
}
