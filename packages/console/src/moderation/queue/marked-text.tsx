/** A text in which what matches is marked. */
export function MarkedText({
  text,
  terms,
}: {
  readonly text: string
  readonly terms: readonly RegExp[]
}) {
  const spans = spansOf(text, terms)
  const parts = spans.flatMap(({ start, end }, nth) => {
    const before = text.slice(spans[nth - 1]?.end ?? 0, start)
    return [before, <mark key={start}>{text.slice(start, end)}</mark>]
  })
  return (
    <p className="said">
      {parts}
      {text.slice(spans.at(-1)?.end ?? 0)}
    </p>
  )
}

/** Where the terms are; spans that touch are one. */
function spansOf(text: string, terms: readonly RegExp[]): { start: number; end: number }[] {
  const found = terms
    .flatMap((term) => [...text.matchAll(term)])
    .flatMap(({ index, 0: { length } }) =>
      length > 0 ? [{ start: index, end: index + length }] : [],
    )
    .toSorted((a, b) => a.start - b.start)
  const spans: { start: number; end: number }[] = []
  for (const span of found) {
    const last = spans.at(-1)
    if (last && span.start <= last.end) last.end = Math.max(last.end, span.end)
    else spans.push(span)
  }
  return spans
}

/** What a condition looks for, as the browser can find it; the service has rules of its own for words in disguise. */
export function termsOf(category: string, values: readonly string[]): RegExp[] {
  return values.flatMap((value) => {
    const source =
      category === 'pattern' ? value : value.trim().replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    try {
      return source === '' ? [] : [new RegExp(source, 'giu')]
    } catch {
      // A pattern that only the service can read.
      return []
    }
  })
}
