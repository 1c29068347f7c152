import type { Result } from '../load/run.ts'

const width = 360
const height = 48

/** All runs as one page that needs nothing but itself. */
export function pageOf(results: readonly Result[]): string {
  const sum = results.reduce((total, { acknowledged }) => total + acknowledged, 0)
  const findings = results.reduce((total, result) => total + result.findings.length, 0)
  const rows = results.map(rowOf).join('\n')
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Faults</title>
<style>
body { font: 14px/1.4 system-ui, sans-serif; margin: 2rem; color: #1b1b1b }
table { border-collapse: collapse }
th, td { text-align: left; vertical-align: top; padding: .4rem .8rem; border-bottom: 1px solid #ddd }
td.number { text-align: right; font-variant-numeric: tabular-nums }
.bad { color: #b00020; font-weight: 600 }
small { color: #555 }
</style>
<h1>Faults</h1>
<p>${results.length} runs, ${sum.toLocaleString('en')} messages acknowledged,
<span class="${findings > 0 ? 'bad' : ''}">${findings} findings</span>.
The picture has the acknowledged messages of each second; the time of the fault is shaded.</p>
<table>
<tr><th>Fault</th><th>Acknowledged</th><th>Found</th><th>Longest gap of writes</th><th>p50, p99</th><th>Each second</th><th>Clients saw</th></tr>
${rows}
</table>
</html>
`
}

function rowOf(result: Result): string {
  const { fault, at, acknowledged, unacknowledged, findings, gapMs, p50Ms, p99Ms, refusals } =
    result
  const found = [...Map.groupBy(findings, ({ rule }) => rule)].map(
    ([rule, list]) =>
      `<span class="bad">${rule}: ${list.length}</span><br><small>${escaped(list[0]?.text ?? '')}</small>`,
  )
  const saw = Object.entries(refusals).map(([name, times]) => `${times} × ${escaped(name)}`)
  return `<tr><td>${escaped(fault)}<br><small>${at}</small></td>
<td class="number">${acknowledged.toLocaleString('en')}${unacknowledged > 0 ? `<br><small>${unacknowledged} never</small>` : ''}</td>
<td>${found.join('<br>') || '0'}</td><td class="number">${(gapMs / 1000).toFixed(1)} s</td>
<td class="number">${p50Ms}, ${p99Ms} ms</td><td>${pictureOf(result)}</td><td><small>${saw.join('<br>')}</small></td></tr>`
}

function pictureOf({ seconds, faultFrom, faultTo }: Result): string {
  const most = Math.max(1, ...seconds)
  const step = width / Math.max(1, seconds.length)
  const bars = seconds.map((count, second) => {
    const tall = (count / most) * height
    return `<rect x="${(second * step).toFixed(1)}" y="${(height - tall).toFixed(1)}" width="${step.toFixed(1)}" height="${tall.toFixed(1)}"/>`
  })
  const shade = `<rect fill="#f6c1b4" x="${(faultFrom * step).toFixed(1)}" y="0" width="${Math.max(1, (faultTo - faultFrom) * step).toFixed(1)}" height="${height}"/>`
  return `<svg width="${width}" height="${height}" role="img" aria-label="acknowledged in each second"><g>${shade}</g><g fill="#3d6fb4">${bars.join('')}</g></svg>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
