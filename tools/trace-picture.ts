interface DrawnSpan {
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
}

const width = 900
const rowHeight = 26
const labels = 330
const top = 34

/** A trace as an SVG: a line for each span, children below their parent, a bar from its start to its end. */
export function drawTrace(spans: readonly DrawnSpan[]): string {
  const ms = (text: string) => Number(BigInt(text) - first) / 1e6
  const first = spans
    .map((span) => BigInt(span.startTimeUnixNano))
    .reduce((earliest, at) => {
      if (at < earliest) return at
      return earliest
    })
  const end = Math.max(...spans.map((span) => ms(span.endTimeUnixNano)))
  const x = (at: number) => labels + (at / end) * (width - labels - 20)
  const known = new Set(spans.map(({ spanId }) => spanId))
  const rows: { readonly span: DrawnSpan; readonly depth: number }[] = []
  const add = (children: readonly DrawnSpan[], depth: number) => {
    const ordered = children.toSorted((a, b) => ms(a.startTimeUnixNano) - ms(b.startTimeUnixNano))
    for (const span of ordered) {
      rows.push({ span, depth })
      add(
        spans.filter(({ parentSpanId }) => parentSpanId === span.spanId),
        depth + 1,
      )
    }
  }
  add(
    spans.filter(({ parentSpanId = '' }) => !known.has(parentSpanId)),
    0,
  )
  const lines = rows.map(({ span, depth }, row) => {
    const [from, to] = [ms(span.startTimeUnixNano), ms(span.endTimeUnixNano)]
    const y = top + row * rowHeight
    const length = `${(to - from).toFixed(1)} ms`
    const name = span.name.replace(/127\.0\.0\.1:\d+/, 'receiver')
    const isLate = x(to) > width - 80
    const at = isLate
      ? `x="${(x(from) - 6).toFixed(1)}" text-anchor="end"`
      : `x="${(x(to) + 6).toFixed(1)}"`
    return (
      `<text x="${10 + depth * 16}" y="${y + 15}">${name}</text>` +
      `<rect x="${x(from).toFixed(1)}" y="${y + 4}" width="${Math.max(2, x(to) - x(from)).toFixed(1)}" height="14" rx="2" fill="#3b6ea5"/>` +
      `<text ${at} y="${y + 15}" fill="#555">${length}</text>`
    )
  })
  const height = top + rows.length * rowHeight + 10
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<title>One message, from POST to push and webhook</title>
<rect width="${width}" height="${height}" fill="#fff"/>
<text x="10" y="18" font-weight="bold">One message, from POST to push and webhook: ${end.toFixed(1)} ms</text>
${lines.join('\n')}
</svg>
`
}
