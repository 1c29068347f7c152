/** Shorter than the pause between two scrapes; all who look within it share one question. */
const keepMs = 5000

/** Undefined: there was no answer. The rest of the page is still worth reading. */
export function remembered<T>(ask: () => Promise<T>): () => Promise<T | undefined> {
  let last: { readonly at: number; readonly answer: Promise<T | undefined> } | undefined
  return () => {
    const now = performance.now()
    if (last && now - last.at < keepMs) return last.answer
    const answer = ask().catch(() => undefined)
    last = { at: now, answer }
    return answer
  }
}
